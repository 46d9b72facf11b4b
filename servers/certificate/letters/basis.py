"""What a letter is based on: the session's assurance level, documents an officer saw, the source of each value. No I/O.

The daemon sends it in a call's `_meta` (`agentd/basis`), never in the arguments. The letter's text states it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from pydantic import BaseModel

from servers.certificate.languages import OfficeWords

Level = Literal["declared", "officer", "pin", "card+pin"]
Source = Literal["register", "citizen", "officer", "default", "derived"]
REGISTER: Source = "register"
STATED = frozenset({"citizen", "derived"})
"""Sources of what the citizen said or only agreed to, which the letter names as a statement."""


class Basis(BaseModel, frozen=True):
    """`sources` gives each field's source; `seen` are the letter's requirements that an officer ticked."""

    level: Level = "declared"
    seen: tuple[str, ...] = ()
    sources: dict[str, Source] = {}

    @property
    def registered(self) -> frozenset[str]:
        """Return the fields whose values come from the register."""
        return frozenset(name for name, source in self.sources.items() if source == REGISTER)


DECLARED = Basis()
"""Only the citizen's statement is known."""


def in_words(
    basis: Basis,
    facts: Mapping[str, Source],
    register: str,
    statement: str,
    documents: Collection[str],
    words: OfficeWords,
) -> str:
    """Return the text after "berdasarkan": the register, the statement (as given), and documents an officer saw.

    `facts` maps the letter's fields that state something to their sources. Of the seen documents, only those in
    `documents`, the letter's requirements, are named.
    """
    sources = set(facts.values())
    if basis.level == "declared":
        parts = [statement, register] if REGISTER in sources else [statement]
    else:
        parts = [register] if REGISTER in sources else []
        parts += [statement] if not parts or STATED & sources else []
    seen = [_document(one) for one in basis.seen if one in documents]
    return words.joined(parts) + (words.seen.format(documents=words.joined(seen)) if seen else "")


def _document(requirement: str) -> str:
    """Return a requirement such as `KTP (asli dan salinan)` as a sentence names it."""
    name = requirement.partition("(")[0].strip()
    return name if name[:2].isupper() or name.startswith("Kartu") else f"{name[:1].lower()}{name[1:]}"
