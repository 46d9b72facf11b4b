"""What in a message isn't the citizen speaking: quotations, pasted documents, orders to the machine. All is cut.

One pass each, whatever is written: its time grows as the length of the text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from typing import Any

from agentd.apps.letters.languages import phrases

_SUSPECT = re.compile(
    r"""["'`<>{}\[\]«»„]|^[^\S\n]*+\||(?:---|===|\*\*\*|\#\#\#)|\b(?=\w)  # where a word begins
    (?:instruksi|perintah|aturan|instructions?|rules?|prompts?|system|sistem|
    tool\w*|assistant|asisten|isi|berikut|pesan|surat|email|dokumen|document|message|text|paste|pasted|salinan|forward|diteruskan|
    kutipan|lampiran|artikel|developer|ignore|abaikan|override)\b""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_ORDER = re.compile(
    r"""\b(?=\w)(?:  # where a word begins
        (?:abaikan|lupakan|hiraukan|langgar|ganti|ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}
        \b(?:instruksi|perintah|aturan|petunjuk|pedoman|prompts?|instructions?|rules?|guidelines?|directives?)\b
      | (?:system|developer)\s*prompt\b
      | (?:you\s+are\s+now|act\s+as|anda\s+sekarang\s+(?:adalah|menjadi)|mulai\s+sekarang\s+(?:anda|kamu))\b
      | (?:call_tool|tool_result|tool_call|function_call|generate_surat\w*)\b
      | (?:panggil|jalankan|eksekusi|call|run|invoke)\s+(?:the\s+)?(?:tool|fungsi|function|alat)\b
      | (?:mode|akses)\s+(?:admin|developer|debug)\b
      | (?:admin|developer|debug)\s+mode\b )
      | ^[^\S\n]*+(?:system|sistem|assistant|asisten|developer|user|tool|agen|agent)\s*+[:>] | <\|
      | \[/?(?:inst|system|sistem)\b""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_TAG = re.compile(r"<\s*+([a-z_]\w*+)", re.IGNORECASE)
_CLOSING_TAG = re.compile(r"<\s*+/\s*+([a-z_]\w*+)\s*+>", re.IGNORECASE)
_RULE = re.compile(r"^[^\S\n]*+(?:-{3,}+|={3,}+|\*{3,}+|\#{3,}+|_{3,}+|<{3,}+|>{3,}+)[^\n]*+", re.MULTILINE)
_LINE = re.compile(r"^[^\S\n]*+[>|][^\n]*+", re.MULTILINE)
_BRACES = re.compile(r"\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+(?:\}|\Z)")
_QUOTED = re.compile(
    r'"([^"]*+)(?:"|\Z)|«([^»]*+)(?:»|\Z)|„([^"]*+)(?:"|\Z)|(?<![^\W\d_])\'([^\'\n]*+)\'(?![^\W\d_])', re.DOTALL
)
_DOCUMENT = (
    r"(?:surat|pesan|email|e-mail|dokumen|chat|wa|whatsapp|sms|berkas|file|artikel|lampiran|pengumuman|undangan)"
)
_INTRODUCED = re.compile(
    rf"""\b(?:isi|bunyi|teks|kutipan|salinan|hasil\s++(?:scan|foto|ocr))
        [^\S\n]*+(?:(?:dari|lengkap)[^\S\n]++)?+{_DOCUMENT}?+
        (?:[^\S\n]*+\w++(?:[^\S\n]++\w++){{0,5}}+)?+[^\S\n]*+[:\n]
      | \b{_DOCUMENT}\s*+
        (?:ini|itu|tersebut|tadi|nya|berikut|dari\b[^:\n]{{0,40}}+|teman\b[^:\n]{{0,30}}+)?+\s*+:
      | \b(?:ini|itu|berikut|terlampir|dapat|terima|menerima|forward|diteruskan)\b[^:.\n]{{0,30}}
        \b{_DOCUMENT}(?:nya|\b[^:.\n]{{0,40}}+)(?:[^\S\n]*+\n|\s*+:)
      | \b(?:forwarded|pasted|copied|this|the|following|here\s++is|got|received)\b[^:.\n]{{0,30}}
        \b(?:message|letter|email|document|text|article|note)\b[^:.\n]{{0,40}}+[:\n]
      | \b(?:surat\s++(?:edaran|tugas|kuasa|lama|dari|milik)|document\s++says|letter\s++says)\b[^:\n]{{0,40}}+:""",
    re.IGNORECASE | re.VERBOSE,
)
"""Every unbounded part is possessive: none is given back, so that no text makes it look at a word twice."""
_WORD = re.compile(r"\w++")
_ATTRIBUTED_BEFORE = phrases().attributed_before
_ATTRIBUTED_AFTER = phrases().attributed_after
_STATEMENT = re.compile(r"[:,;\n]|\b(?:saya|aku|nama|nik|my|i)\b", re.IGNORECASE)
CUT = " ⁂ "
"""Stands where something was cut, so that the words around it do not join."""


def orders(text: str) -> bool:
    """Whether a text speaks to the machine (`abaikan instruksi …`, `system:`) rather than to the office."""
    return _ORDER.search(text) is not None


def typed(text: str) -> dict[str, Any] | None:
    """The values of a form that was typed in: a message that is one JSON object, and no order to the machine."""
    if not text.lstrip().startswith("{") or orders(text):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def own_words(text: str) -> str:
    """What of a message the citizen says: without quotations, pasted documents and marked-off blocks.

    A message that gives the machine orders is nobody's statement at all: nothing of it stays. A quotation of a name or
    number by itself (`nama saya "Budi Santoso"`) is a way of writing, and stays.
    """
    if orders(text):
        return ""
    if not _SUSPECT.search(text):
        return text
    text = _without_tags(_FENCED.sub(CUT, text))
    text = _without_spans(text, _ruled(text))
    text = _without_spans(text, (found.span() for found in _LINE.finditer(text)))
    text = _unquoted(_BRACES.sub(CUT, text))
    introduced = _INTRODUCED.search(text)
    return text[: introduced.start()] + CUT if introduced else text


def _without_tags(text: str) -> str:
    """Without `<a …> … </a>`; a tag that is never closed cuts all that follows."""
    if ">" not in text:
        return text
    closings: dict[str, list[tuple[int, int]]] = {}
    for found in _CLOSING_TAG.finditer(text):
        closings.setdefault(found[1].casefold(), []).append(found.span())
    kept: list[str] = []
    at = 0
    while (tag := _TAG.search(text, at)) is not None and (end := text.find(">", tag.end())) >= 0:
        spans = closings.get(tag[1].casefold(), [])
        after = bisect(spans, (end, len(text)))
        kept += (text[at : tag.start()], CUT)
        at = spans[after][1] if after < len(spans) else len(text)
    return "".join((*kept, text[at:]))


def _ruled(text: str) -> Iterator[tuple[int, int]]:
    """From each rule (`---`) to the end of the next one, or of the text."""
    rules = _RULE.finditer(text)
    for opening in rules:
        if opening.end() < len(text):
            closing = next(rules, None)
            yield opening.start(), len(text) if closing is None else closing.end()


def _without_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Without these lines, and without the blank ones before each."""
    kept: list[str] = []
    at = 0
    for start, end in spans:
        before = text[at:start].rstrip()
        blank = text.find("\n", at + len(before), start)
        first = start if blank < 0 else blank + 1
        if not before and (at == 0 or text[at - 1] == "\n"):
            first = at
        kept += (text[at:first], CUT)
        at = end
    return "".join((*kept, text[at:]))


def _unquoted(text: str) -> str:
    """Quotations cut; a short one that nobody else is named for stays, without its marks."""
    words = [found.span() for found in _WORD.finditer(text)]

    def short(found: re.Match[str]) -> str:
        inner = next((group for group in found.groups() if group is not None), "")
        after = bisect(words, (found.end(), -1))
        before = bisect(words, (found.start(), -1)) - 1
        if before >= 0 and text[slice(*words[before])].casefold() in _ATTRIBUTED_BEFORE:
            return CUT
        if after < len(words) and text[slice(*words[after])].casefold() in _ATTRIBUTED_AFTER:
            return CUT
        return inner if len(inner.split(None, 5)) <= 4 and not _STATEMENT.search(inner) else CUT

    return _QUOTED.sub(short, text)
