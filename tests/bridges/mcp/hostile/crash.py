"""Dies in the middle of a call after printing its arguments and one of its secrets."""

import os
import sys

import speak


def crash(request):
    print("could not file", request["params"]["arguments"], os.environ.get("API_KEY"), file=sys.stderr, flush=True)
    os._exit(3)


speak.serve(crash)
