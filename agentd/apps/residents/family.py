"""Finds the family member a citizen means by a name. Pure; it asks no register.

Only members of the verified resident's own family card are considered, so a name never leads to anybody else.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.text import fold
from agentd.apps.residents.register import Resident
from agentd.apps.residents.replies import replies
from agentd.errors import Language


def meant(name: str, family: Sequence[Resident], messages: Sequence[str]) -> list[Resident]:
    """The members with that name or relation. If there are several, the citizen's words (oldest first) since they last
    said the name narrow them by relation or year of birth. A text as `described` selects that member."""
    if chosen := [one for one in family if name in (described(one, "id"), described(one, "en"))]:
        return chosen
    words = _words(name)
    found = [one for one in family if words and words <= _words(one["nama"])]
    exact = [one for one in found if words == _words(one["nama"])]
    found = exact or found or [one for one in family if _relation(one) and _relation(one) <= words]
    for text in reversed(messages):
        if len(found) < 2:
            break
        spoken = _words(text)
        named = [one for one in found if _relation(one) and _relation(one) <= spoken]
        found = [one for one in named or found if (one["tanggal_lahir"] or "?")[:4] in spoken] or named or found
        if words <= spoken:
            break
    return found


def spoken(name: str, messages: Sequence[str]) -> bool:
    """Whether the citizen said every word of the name, so that the model didn't invent it."""
    words = _words(name)
    return bool(words) and words <= {word for text in messages for word in _words(text)}


def question(name: str, found: Sequence[Resident], language: Language) -> str:
    """The question to the citizen if no member or several members fit the name."""
    if not found:
        return replies()[language].nobody.format(name=name)
    shown = "; ".join(described(one, language) for one in found)
    return replies()[language].several.format(name=name, members=shown)


def described(one: Resident, language: Language) -> str:
    """`Rizky Contoh (Anak, lahir 2004-08-21)`: distinguishes members with the same name."""
    born = replies()[language].born.format(day=one["tanggal_lahir"]) if one["tanggal_lahir"] else ""
    return f"{one['nama']} ({', '.join(part for part in (one['hubungan'] or '', born) if part)})"


def _words(text: str | None) -> frozenset[str]:
    return frozenset(fold(text or ""))


def _relation(one: Resident) -> frozenset[str]:
    return _words(one["hubungan"])
