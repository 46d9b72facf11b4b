"""What in a message isn't the citizen speaking: quotations, pasted documents, orders to the machine. All is cut."""

from __future__ import annotations

import re

_SUSPECT = re.compile(
    r"""["'`<>{}\[\]«»„]|^\s*\||(?:---|===|\*\*\*|\#\#\#)|\b(?=\w)  # where a word begins
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
      | ^\s*(?:system|sistem|assistant|asisten|developer|user|tool|agen|agent)\s*[:>] | <\|
      | \[/?(?:inst|system|sistem)\b""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_TAGGED = re.compile(r"<\s*([a-z_]\w*)[^>]*>.*?(?:<\s*/\s*\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_RULED = re.compile(
    r"^\s*(?:-{3,}|={3,}|\*{3,}|#{3,}|_{3,}|<{3,}|>{3,})[^\n]*\n.*?(?:^\s*(?:-{3,}|={3,}|\*{3,}|#{3,}|_{3,}|<{3,}|>{3,})[^\n]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_LINES = re.compile(r"^\s*[>|].*$", re.MULTILINE)
_BRACES = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*(?:\}|\Z)", re.DOTALL)
_QUOTED = re.compile(
    r'"([^"]*)(?:"|\Z)|«([^»]*)(?:»|\Z)|„([^"]*)(?:"|\Z)|(?<![^\W\d_])\'([^\'\n]*)\'(?![^\W\d_])', re.DOTALL
)
_DOCUMENT = (
    r"(?:surat|pesan|email|e-mail|dokumen|chat|wa|whatsapp|sms|berkas|file|artikel|lampiran|pengumuman|undangan)"
)
_INTRODUCED = re.compile(
    rf"""\b(?:isi|bunyi|teks|kutipan|salinan|hasil\s+(?:scan|foto|ocr))\s*(?:dari\s+|lengkap\s+)?{_DOCUMENT}?
        (?:\s*\w+){{0,6}}?\s*(?::|\n)
      | \b{_DOCUMENT}\s*(?:ini|itu|tersebut|tadi|nya|berikut|dari\b[^:\n]{{0,40}}|teman\b[^:\n]{{0,30}})?\s*:
      | \b(?:ini|itu|berikut|terlampir|dapat|terima|menerima|forward|diteruskan)\b[^:.\n]{{0,30}}
        \b{_DOCUMENT}(?:nya|\b[^:.\n]{{0,40}})\s*(?::|\n)
      | \b(?:forwarded|pasted|copied|this|the|following|here\s+is|got|received)\b[^:.\n]{{0,30}}
        \b(?:message|letter|email|document|text|article|note)\b[^:.\n]{{0,40}}(?::|\n)
      | \b(?:surat\s+(?:edaran|tugas|kuasa|lama|dari|milik)|document\s+says|letter\s+says)\b[^:\n]{{0,40}}:""",
    re.IGNORECASE | re.VERBOSE,
)
_ATTRIBUTED_BEFORE = re.compile(
    r"\b(?:kata|katanya|bilang|berkata|menulis|tulis|tulisan|berbunyi|tertulis|said|says|wrote|writes)\W*\Z",
    re.IGNORECASE,
)
_ATTRIBUTED_AFTER = re.compile(
    r"\W*(?:kata|katanya|bilang|ujar|begitu|demikian|said|says|he|she|they)\b", re.IGNORECASE
)
CUT = " ⁂ "
"""Stands where something was cut, so that the words around it do not join."""


def orders(text: str) -> bool:
    """Whether a text speaks to the machine (`abaikan instruksi …`, `system:`) rather than to the office."""
    return _ORDER.search(text) is not None


def own_words(text: str) -> str:
    """What of a message the citizen says: without quotations, pasted documents and marked-off blocks.

    A message that gives the machine orders is nobody's statement at all: nothing of it stays. A quotation of a name or
    number by itself (`nama saya "Budi Santoso"`) is a way of writing, and stays.
    """
    if orders(text):
        return ""
    if not _SUSPECT.search(text):
        return text
    for block in (_FENCED, _TAGGED, _RULED, _LINES, _BRACES):
        text = block.sub(CUT, text)
    text = _QUOTED.sub(_short, text)
    introduced = _INTRODUCED.search(text)
    return text[: introduced.start()] + CUT if introduced else text


def _short(found: re.Match[str]) -> str:
    inner = next((group for group in found.groups() if group is not None), "")
    if _ATTRIBUTED_BEFORE.search(found.string, 0, found.start()) or _ATTRIBUTED_AFTER.match(found.string, found.end()):
        return CUT
    if len(inner.split()) <= 4 and not re.search(r"[:,;\n]|\b(?:saya|aku|nama|nik|my|i)\b", inner, re.IGNORECASE):
        return inner
    return CUT
