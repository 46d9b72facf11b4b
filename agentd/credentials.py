"""Secrets by their names: systemd's credentials, a folder in their place, the environment. It keeps none.

A name is looked up in $CREDENTIALS_DIRECTORY, in the folder $AGENTD_CREDENTIALS (for machines without systemd), then
among the environment's variables, as it is written and in upper case. An empty credential is none, and
so is one of a line's end alone: the unit's SetCredential= puts that there (systemd takes no empty one), so that a file
that isn't needed may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""What a credential may be called: it is a file's name."""
_SECRET_CHARS, _SECRET_DIGITS = 20, 6
"""At least so long is a secret; so many digits, or mixed case with one, has no name."""
SYSTEM_FOLDER = Path("/etc/agentd/credentials")
"""Where the unit that `agentd install --system` writes takes them from."""
_REFERENCE = re.compile(r"\$\{(" + NAME.pattern + r")\}")


def credential(name: str, environ: Mapping[str, str]) -> bytes | None:
    """What is kept under that name, without the line's end; None where there is nothing, or nothing readable."""
    for folder in (environ.get("CREDENTIALS_DIRECTORY"), environ.get("AGENTD_CREDENTIALS")):
        with suppress(OSError):
            if folder and (found := Path(folder, name).read_bytes().rstrip(b"\r\n")):
                return found
    text = environ.get(name) or environ.get(name.upper()) or ""
    return text.encode("utf-8", "surrogateescape") or None


def secret(name: str, environ: Mapping[str, str]) -> str | None:
    """The same as text, without blanks around it."""
    found = credential(name, environ)
    return None if found is None else found.decode("utf-8", "surrogateescape").strip() or None


def wrong_name(text: str) -> str | None:
    """Why a text names no credential. It does not repeat the text, which may be the secret itself."""
    if not NAME.fullmatch(text):
        return "what stands here can't be a credential's name: letters, digits and `_.-` only"
    digits, mixed = sum(map(str.isdigit, text)), text not in (text.upper(), text.lower())
    if len(text) >= _SECRET_CHARS and (digits >= _SECRET_DIGITS or (mixed and digits)):
        return "what stands here looks like the secret itself: write the name of the credential that holds it"
    return None


def references(text: str) -> list[str]:
    """The names that a text of client.toml refers to as `${NAME}`."""
    return _REFERENCE.findall(text)


def filled(text: str, environ: Mapping[str, str]) -> str:
    """The text with each `${NAME}` replaced by that secret; by nothing where it is missing."""
    return _REFERENCE.sub(lambda found: secret(found[1], environ) or "", text)


def missing(names: Iterable[str], environ: Mapping[str, str]) -> list[str]:
    """Those that there are no credentials for, in order."""
    return [name for name in dict.fromkeys(names) if secret(name, environ) is None]


def advice(names: Iterable[str]) -> str:
    """What is missing and what to do, as a sentence."""
    listed = ", ".join(f"`{name}`" for name in names)
    return (
        f"the credential {listed} is missing: put it into {SYSTEM_FOLDER} and run `agentd install --system` again; "
        "without systemd, put it into the folder that AGENTD_CREDENTIALS names, or into the environment"
    )
