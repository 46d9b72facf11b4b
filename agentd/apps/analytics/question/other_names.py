"""Names of countries and languages in the packs' languages, from CLDR: `Kanada` is Canada. Pure; knows no others."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

from agentd.agent.languages import languages

KINDS = ("territories", "languages")
LONGEST = 4
"""How many words a name may have: `Republik Demokratik Kongo`."""


def as_planned(question: str, written: str) -> str:
    """The question with such names as `written` (what a plan reads) spells them."""
    words = list(re.finditer(r"[^\W\d_]+", question))
    for size in range(LONGEST, 0, -1):
        for place in range(len(words) - size + 1):
            start, end = words[place].start(), words[place + size - 1].end()
            said = question[start:end].casefold()
            for name in _same().get(said, ()) if said not in written.casefold() else ():
                if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", written):
                    return as_planned(f"{question[:start]}{name}{question[end:]}", written)
    return question


@cache
def _same() -> dict[str, frozenset[str]]:
    """{a name in small letters: its other spellings}."""
    from babel import Locale, UnknownLocaleError

    found: dict[str, set[str]] = defaultdict(set)
    for kind in KINDS:
        by_code: dict[str, set[str]] = defaultdict(set)
        for language in languages():
            try:
                named = getattr(Locale.parse(language), kind)
            except (UnknownLocaleError, ValueError):
                continue
            for code, name in named.items():
                by_code[code].add(name)
        for names in by_code.values():
            for name in names:
                found[name.casefold()] |= {each for each in names if each.casefold() != name.casefold()}
    return {name: frozenset(others) for name, others in found.items() if others}
