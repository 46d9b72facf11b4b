"""Removes from a message what the citizen doesn't say: quotations, pasted documents, instructions to the model.

Each removal is a single pass, so that the time is linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Iterable
from functools import cache
from typing import Any

from agentd.agent.text import HAN, alike
from agentd.apps.letters.languages import phrases

_BEGIN, _END = rf"(?:\b(?=\w)|(?={HAN}))", rf"(?:(?!\w)|(?<={HAN}))"
"""Word boundaries; scripts without spaces have one at every character."""


def _any_of(said: Iterable[str]) -> str:
    """A pattern for one of these words or phrases, up to its end."""
    every = (re.escape(each).replace(r"\ ", r"\s*" if re.match(HAN, each) else r"\s+") for each in said)
    return rf"(?:(?:{'|'.join(sorted(every, key=len, reverse=True))}){_END})"


_SAID = phrases()
_DOCUMENT = _any_of(_SAID.documents)
_ROLE, _MARKER, _COMMAND = ("|".join(_SAID.transcript[key]) for key in ("roles", "markers", "commands"))
_MARKED = re.compile(r"""["'`<>{}\[\]«»„]|^[^\S\n]*+\||---|===|\*\*\*|\#\#\#""", re.MULTILINE)
_ORDER = re.compile(
    rf"""{_BEGIN}(?:{_any_of(_SAID.overriding)}[^.\n]{{0,40}}?{_BEGIN}{_any_of(_SAID.instructed)}
      | {_any_of(_SAID.impersonating)} | {_any_of(_SAID.invoking)}\s*{_any_of(_SAID.tool_words)}
      | (?:call_tool|tool_result|tool_call|function_call|generate_surat\w*|{_COMMAND})\b)
      | ^[^\S\n]*+(?:{_ROLE})\s*+[:>] | <\| | \[/?(?:inst|{_MARKER})\b""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_TAG = re.compile(r"<\s*+[a-z_]", re.IGNORECASE)
_RULE = re.compile(r"^[^\S\n]*+(?:-{3,}+|={3,}+|\*{3,}+|\#{3,}+|_{3,}+|<{3,}+|>{3,}+)[^\n]*+", re.MULTILINE)
_LINE = re.compile(r"^[^\S\n]*+[>|][^\n]*+", re.MULTILINE)
_BRACES = re.compile(r"\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+(?:\}|\Z)")
_QUOTED = re.compile(
    r'"([^"]*+)(?:"|\Z)|«([^»]*+)(?:»|\Z)|„([^"]*+)(?:"|\Z)|(?<![^\W\d_])\'([^\'\n]*+)\'(?![^\W\d_])', re.DOTALL
)
_INTRODUCED = f"(?i){_BEGIN}(?:{'|'.join(each.replace('‹documents›', _DOCUMENT) for each in _SAID.introductions)})"
_NAMED = rf"(?i){_BEGIN}{_DOCUMENT}\s*+[:：][^\S\n]*+(?P<value>[^\s,;@]++@[^\s,;]++|[^\n]*+)"
"""A document or a form line: `surat: …`."""
_WORD = re.compile(r"\w++")
_STATEMENT = rf"(?i)[:,;\n]|{_BEGIN}{_any_of((*_SAID.self_words, *_SAID.labels['nama'], 'nik'))}"
_late = cache(re.compile)
"""Compiles rarely used patterns at their first use, to keep the start fast."""
CUT = " ⁂ "
"""Replaces removed text, so that the words around it don't join."""


def orders(text: str) -> bool:
    """Whether a text gives instructions to the model (`abaikan instruksi …`, `system:`) rather than to the office."""
    return _ORDER.search(text if text.isascii() else alike(text)) is not None


def typed(text: str) -> dict[str, Any] | None:
    """The values of a form submitted as one JSON object without instructions to the model; otherwise None."""
    if not text.lstrip().startswith("{") or orders(text):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def own_words(text: str) -> str:
    """What the citizen says in a message: without quotations, pasted documents and marked-off blocks.

    A message with instructions to the model counts as empty. A quoted single name or number (`nama saya "Budi
    Santoso"`) stays.
    """
    if orders(text):
        return ""
    if _MARKED.search(text):
        text = _LINE.sub(CUT, _before_blocks(_FENCED.sub(CUT, text)))
        text = _unquoted(_BRACES.sub(CUT, text))
    if ":" not in text and "：" not in text and "\n" not in text:
        return text  # every announced document has one of these
    starts = [found.start() for found in (_late(_INTRODUCED).search(text), _document(text)) if found]
    return text[: min(starts)] + CUT if starts else text


def _document(text: str) -> re.Match[str] | None:
    """The first `surat: …` that is neither a longer label (`jenis surat: …`) nor a short value as in a form."""
    for found in _late(_NAMED).finditer(text):
        before = text[max(0, found.start() - 20) : found.start()].rpartition("\n")[2].split()
        is_label = bool(before) and before[-1].casefold() in _SAID.label_heads
        if not is_label and not _is_short(found["value"]):
            return found
    return None


def _is_short(text: str) -> bool:
    """Whether a text is a value rather than a statement or document."""
    return 0 < len(text.split(None, 5)) <= 4 and not _late(_STATEMENT).search(text)


def _before_blocks(text: str) -> str:
    """The text before its first tag (`<a …`) or rule (`---`): what follows may be any document."""
    tag = _TAG.search(text)
    found = (tag if tag is not None and ">" in text[tag.end() :] else None, _RULE.search(text))
    starts = [block.start() for block in found if block is not None]
    return text[: min(starts)] + CUT if starts else text


def _unquoted(text: str) -> str:
    """Removes quotations, but keeps the text of a short one that isn't attributed to somebody else."""
    words = [found.span() for found in _WORD.finditer(text)]

    def short(found: re.Match[str]) -> str:
        inner = next((group for group in found.groups() if group is not None), "")
        after = bisect(words, (found.end(), -1))
        before = bisect(words, (found.start(), -1)) - 1
        if before >= 0 and text[slice(*words[before])].casefold() in _SAID.attributed_before:
            return CUT
        if after < len(words) and text[slice(*words[after])].casefold() in _SAID.attributed_after:
            return CUT
        return inner if _is_short(inner) else CUT

    return _QUOTED.sub(short, text)
