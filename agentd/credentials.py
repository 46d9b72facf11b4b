"""Reads secrets by name from systemd's credentials, a folder in their place, or the environment. It stores none.

A name is looked up in $CREDENTIALS_DIRECTORY, in the folder $AGENTD_CREDENTIALS (for machines without systemd), then in
the environment's variables, as written and in upper case. An empty credential counts as missing, and so does one that
is only a line end: the unit's SetCredential= sets that as the default (systemd allows no empty one), so that an
unneeded file may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""The form of a credential's name, which is also a file name."""
_SECRET_CHARS, _SECRET_DIGITS = 20, 6
"""A text of this length looks like a secret if it has this many digits, or mixed case and a digit."""
SYSTEM_FOLDER = Path("/etc/agentd/credentials")
"""The folder from which the unit written by `agentd install --system` loads them."""
_REFERENCE = re.compile(r"\$\{(" + NAME.pattern + r")\}")


def credential(name: str, environ: Mapping[str, str]) -> bytes | None:
    """The credential of that name without its line end; None if it is missing or unreadable."""
    for folder in (environ.get("CREDENTIALS_DIRECTORY"), environ.get("AGENTD_CREDENTIALS")):
        with suppress(OSError):
            if folder and (found := Path(folder, name).read_bytes().rstrip(b"\r\n")):
                return found
    text = environ.get(name) or environ.get(name.upper()) or ""
    return text.encode("utf-8", "surrogateescape") or None


def secret(name: str, environ: Mapping[str, str]) -> str | None:
    """The credential as text, stripped of blanks; None if it is missing."""
    found = credential(name, environ)
    return None if found is None else found.decode("utf-8", "surrogateescape").strip() or None


def wrong_name(text: str) -> str | None:
    """Why the text is no credential's name, or None. The reason omits the text, which may be the secret itself."""
    if not NAME.fullmatch(text):
        return "what stands here can't be a credential's name: letters, digits and `_.-` only"
    digits, mixed = sum(map(str.isdigit, text)), text not in (text.upper(), text.lower())
    if len(text) >= _SECRET_CHARS and (digits >= _SECRET_DIGITS or (mixed and digits)):
        return "what stands here looks like the secret itself: write the name of the credential that holds it"
    return None


def open_password(address: str) -> str | None:
    """Why a database's address may not stand in client.toml, or None. The reason omits the address."""
    before, at, after = address.partition("://")[2].rpartition("@")
    names = re.findall(r"[?&]\w*(?:password|passwd|pwd)=([^&]*)", after, re.IGNORECASE)
    written = (_REFERENCE.sub("", text) for text in (before.partition(":")[2] if at else "", *names))
    if not any(written):
        return None
    return "a password stands here, for everybody to read: put it into a credential and write `${NAME}` in its place"


def references(text: str) -> list[str]:
    """The names in a text of client.toml that are written as `${NAME}`."""
    return _REFERENCE.findall(text)


def filled(text: str, environ: Mapping[str, str]) -> str:
    """The text with each `${NAME}` replaced by that secret, or by nothing if it is missing."""
    return _REFERENCE.sub(lambda found: secret(found[1], environ) or "", text)


def missing(names: Iterable[str], environ: Mapping[str, str]) -> list[str]:
    """The names without a credential, in order and each once."""
    return [name for name in dict.fromkeys(names) if secret(name, environ) is None]


def advice(names: Iterable[str]) -> str:
    """A sentence that says what is missing and what to do."""
    listed = ", ".join(f"`{name}`" for name in names)
    return (
        f"the credential {listed} is missing: put it into {SYSTEM_FOLDER} and run `agentd install --system` again; "
        "without systemd, put it into the folder that AGENTD_CREDENTIALS names, or into the environment"
    )
