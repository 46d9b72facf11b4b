"""Which language a citizen writes: Indonesian or English, by the small words. Nothing is translated anywhere."""

from __future__ import annotations

import re

from agentd.agent.languages import languages
from agentd.errors import Language


def detect(text: str, default: Language = "id") -> Language:
    """The language of a text; a text of neither's words (a name, a number) keeps the default."""
    words = re.findall(r"[a-z]+", text.casefold())
    known = languages()
    indonesian = sum(word in known["id"].detection for word in words)
    english = sum(word in known["en"].detection for word in words)
    if indonesian == english:
        return default
    return "id" if indonesian > english else "en"
