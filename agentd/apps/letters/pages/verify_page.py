"""The page of /verify: the letter server's answer as HTML, in each of the daemon's languages. It makes no calls.

The words are in web/verify/, one file per language; only sending a QR code's statement needs a script.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from agentd.agent.languages import packs

FOLDER = Path(__file__).parents[1] / "web"
MARKS = {
    "genuine": "✓",
    "expired": "!",
    "voided": "✕",
    "tampered": "✕",
    "unknown": "?",
    "unconfirmed": "…",
    "later": "…",
    "ask": "?",
}
"""The mark of each status."""
_TEMPLATE = Template((FOLDER / "verify.html").read_text(encoding="utf-8"))
_ROWS = ("title", "number", "date", "valid_until", "name_masked", "voided_at", "void_reason")
_STATE = ("valid_until", "voided_at", "void_reason")
_PAPER = ("title", "number", "date", "name", "nik_last4", "purpose", "valid_until")
_DAYS = frozenset({"date", "valid_until", "voided_at"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What the page says in one language; `plain` is what it says whatever was found."""

    name: str
    same: str
    paper: str
    compare: str
    plain: Mapping[str, str]
    headings: Mapping[str, str]
    rows: Mapping[str, str]
    reasons: Mapping[str, str]

    def reason(self, found: Mapping[str, Any]) -> str:
        """The reason in this language if its name is known, else in the letter server's words."""
        known = self.reasons.get(str(found.get("cause")))
        return str(found.get("reason", "")) if known is None else known.format_map(_Shown(found))


WORDS = packs(FOLDER / "verify", Words)


def page(found: Mapping[str, Any], code: str, language: str) -> str:
    """The whole page for an answer: `status`, `cause`, `reason`, the letter's fields, and `paper` for a statement."""
    words, status, paper = WORDS[language], str(found["status"]), found.get("paper") or {}
    if (status, found.get("cause")) == ("genuine", "expired"):
        status = "expired"  # the office's own letter, but no longer valid
    same = paper and status == "genuine"  # a forged copy may have this code too: the reader compares
    return _TEMPLATE.substitute(
        {name: escape(text) for name, text in words.plain.items()},
        lang=language,
        status=status,
        heading=words.same if same else words.headings[status],
        mark=MARKS[status],
        reason=escape(words.reason(found)),
        rows=_list(language, _STATE if paper else _ROWS, found),
        paper=_paper(language, paper) if paper else "",
        code=escape(code[:40]),
        others=" · ".join(_link(other) for other in WORDS if other != language),
    )


def _link(code: str) -> str:
    return f'<a href="?lang={code}" hreflang="{code}" lang="{code}">{escape(WORDS[code].name)}</a>'


def _paper(language: str, paper: Mapping[str, Any]) -> str:
    words = WORDS[language]
    return f"<h2>{escape(words.paper)}</h2><p>{escape(words.compare)}</p>{_list(language, _PAPER, paper)}"


def _list(language: str, keys: tuple[str, ...], found: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<dt>{escape(WORDS[language].rows[key])}</dt><dd>{escape(_shown(key, found[key], language))}</dd>"
        for key in keys
        if found.get(key)
    )
    return f"<dl>{rows}</dl>" if rows else ""


def _shown(key: str, value: Any, language: str) -> str:
    """A date in the language's format; any other value unchanged."""
    if key not in _DAYS:
        return str(value)
    from babel.dates import format_date  # installed with the letters only

    return str(format_date(date.fromisoformat(str(value)[:10]), "d MMMM y", locale=language))


class _Shown(dict[str, Any]):
    """Values to format a sentence with; a missing one becomes empty."""

    def __missing__(self, key: str) -> str:
        return ""
