"""Translates OpenSID's codes to the words that letters print. The words themselves are in codes.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from servers.residents.resident import known

WORDS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("codes.toml").read_text(encoding="utf-8"))
ABBREVIATIONS = frozenset(WORDS["abbreviations"]["words"].split())

UNSPOKEN = {"golongan_darah": {"13"}}
"""Codes that mean "not known"."""


def word(field: str, code: object) -> str | None:
    """Return a code's word; None for no code (empty, 0) and for an unknown one."""
    return WORDS[field].get(str(code).strip())


def is_unknown(field: str, code: object) -> bool:
    """Return whether there is a code without a known meaning."""
    return known(code) is not None and word(field, code) is None and str(code) not in UNSPOKEN.get(field, ())


def occupation(name: object) -> str | None:
    """Return an occupation, stored in capitals, with each word capitalised: Karyawan Swasta, Tentara (TNI)."""
    text = known(name)
    return text and re.sub(r"[^\W\d_]+", lambda found: _cased(found[0]), text)


def _cased(name: str) -> str:
    return name.upper() if name.upper() in ABBREVIATIONS else name.capitalize()
