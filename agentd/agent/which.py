"""Asks which of several waiting calls a plain yes or no is for, and reads the answer. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentd.agent.languages import replies
from agentd.agent.text import fold, normal
from agentd.errors import Language


@dataclass(frozen=True, slots=True)
class Choice:
    """Lets the citizen choose which of these waiting calls a yes or no is for."""

    agrees: bool
    runs: tuple[str, ...]
    """The ids of the waiting runs, in the order of their numbers."""
    names: tuple[str, ...]

    def question(self, language: Language) -> str:
        """The question text, with the calls numbered from 1."""
        said = replies()[language]
        numbered = (f"{number}. {name}" for number, name in enumerate(self.names, 1))
        return "\n".join([said.which.format(said=said.yes if self.agrees else said.no), *numbered])

    def chosen(self, answer: str) -> str | None:
        """The run whose number is the whole answer, or the only one whose name has all of the answer's words."""
        words = fold(answer) if "?" not in normal(answer) else ()
        named = zip(self.runs, self.names, strict=True)
        found = [run for run, name in named if words and set(words) <= set(fold(name))]
        if len(words) == 1 and words[0].isdecimal():
            found = list(self.runs[int(words[0]) - 1 : int(words[0])])
        return found[0] if len(found) == 1 else None


def named(fields: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> tuple[str, ...]:
    """Name each (title, fields) by its title, plus the differing fields if others have the same title."""
    names = []
    for title, rows in fields:
        alike = [others for name, others in fields if name == title and others is not rows]
        differing = [f"{label}: {value}" for label, value in rows if any((label, value) not in one for one in alike)]
        names.append(f"{title} ({'; '.join(differing)})" if differing else title)
    return tuple(names)
