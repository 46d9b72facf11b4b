"""Reports problems with its folders on stderr, one of them twice, and works; a call reports more, one with a name."""

import sys

import speak

BROKEN = "ERROR servers.certificate.letters.catalogue: letter type left out: ktp/letter.toml:3: title: Field required"
print("starting", BROKEN, BROKEN, "ERROR shelf: no key key-0123-secret", sep="\n", file=sys.stderr, flush=True)


def complain(request):
    print("ERROR shelf: duplicate row of Joko", file=sys.stderr)
    print("ERROR servers.certificate.letters.catalogue: letter type left out: kk", file=sys.stderr, flush=True)
    speak.answer(request, speak.text("done"))


speak.serve(complain)
