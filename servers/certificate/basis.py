"""On what a letter rests: the level of the session, the documents an officer saw, where each value came from. Pure.

The daemon says so in a call's `_meta` (`agentd/basis`); arguments never do. The letter's own text says it in words.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict

from servers.certificate.languages import OfficeWords

Level = Literal["declared", "officer", "pin", "card+pin"]
Source = Literal["register", "citizen", "officer", "default", "derived"]
REGISTER: Source = "register"
NOT_NAMED = frozenset({"officer", "default", "derived"})
"""Sources that are neither the register nor the citizen's statement."""


class Basis(BaseModel):
    """`sources` says where a field's value came from; `seen` are the letter's requirements that an officer ticked."""

    model_config = ConfigDict(frozen=True)

    level: Level = "declared"
    seen: tuple[str, ...] = ()
    sources: dict[str, Source] = {}

    @property
    def registered(self) -> frozenset[str]:
        """The fields whose values are the register's."""
        return frozenset(name for name, source in self.sources.items() if source == REGISTER)


DECLARED = Basis()
"""Nothing is known but what the citizen said."""


def read_basis(given: Any) -> Basis:
    """What the daemon says, read tolerantly: an odd part counts as the least, and stops no letter."""
    if not isinstance(given, Mapping):
        return DECLARED
    level, seen, sources = (given.get(name) for name in ("level", "seen", "sources"))
    return Basis(
        level=level if level in get_args(Level) else "declared",
        seen=tuple(one for one in (seen if isinstance(seen, list) else []) if isinstance(one, str)),
        sources={
            str(name): source
            for name, source in (sources if isinstance(sources, Mapping) else {}).items()
            if source in get_args(Source)
        },
    )


def in_words(
    basis: Basis,
    facts: Mapping[str, Source],
    register: str,
    statement: str,
    documents: Collection[str],
    words: OfficeWords,
) -> str:
    """What follows "berdasarkan": the register, the statement (both as the sentence calls them), what an officer saw.

    `facts` are the letter's fields that state something, each with where it came from; `documents` what the letter may
    ask for: nothing else is named.
    """
    said = [source for source in facts.values() if source not in NOT_NAMED]
    if basis.level == "declared":
        parts = [statement, register] if REGISTER in said else [statement]
    else:
        parts = [register] if REGISTER in said else []
        parts += [statement] if not parts or "citizen" in said else []
    seen = [_document(one) for one in basis.seen if one in documents]
    return words.joined(parts) + (words.seen.format(documents=words.joined(seen)) if seen else "")


def _document(requirement: str) -> str:
    """`KTP (asli dan salinan)` as a sentence names it."""
    name = requirement.partition("(")[0].strip()
    return name if name[:2].isupper() or name.startswith("Kartu") else f"{name[:1].lower()}{name[1:]}"
