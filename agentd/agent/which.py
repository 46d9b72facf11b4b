"""Which of several calls that wait a plain yes or no is for: the question, and what an answer to it chooses. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentd.agent.languages import replies
from agentd.agent.text import fold, normal
from agentd.errors import Language


@dataclass(frozen=True, slots=True)
class Choice:
    """The question to the citizen which of these calls a yes or no is for."""

    agrees: bool
    runs: tuple[str, ...]
    """The ids of the runs that wait with them, as they are numbered."""
    names: tuple[str, ...]

    def question(self, language: Language) -> str:
        """Asks for the number of one."""
        said = replies()[language]
        numbered = (f"{number}. {name}" for number, name in enumerate(self.names, 1))
        return "\n".join([said.which.format(said=said.yes if self.agrees else said.no), *numbered])

    def chosen(self, answer: str) -> str | None:
        """The run whose number is the whole answer, or the only one whose name has all of its words."""
        words = fold(answer) if "?" not in normal(answer) else ()
        named = zip(self.runs, self.names, strict=True)
        found = [run for run, name in named if words and set(words) <= set(fold(name))]
        if len(words) == 1 and words[0].isdecimal():
            found = list(self.runs[int(words[0]) - 1 : int(words[0])])
        return found[0] if len(found) == 1 else None


def named(fields: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> tuple[str, ...]:
    """Of each (title, its fields with their values): the title, with what differs where another has the same title."""
    names = []
    for title, rows in fields:
        alike = [others for name, others in fields if name == title and others is not rows]
        differing = [f"{label}: {value}" for label, value in rows if any((label, value) not in one for one in alike)]
        names.append(f"{title} ({'; '.join(differing)})" if differing else title)
    return tuple(names)
