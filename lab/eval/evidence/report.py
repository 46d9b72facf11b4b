"""Counts the trials' results by row and language and formats the tables for the page. It runs no trial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.eval.evidence.trials import Trial


@dataclass(frozen=True, slots=True)
class Judged:
    """A trial and the names of the arguments that were refused."""

    trial: Trial
    refused: frozenset[str]

    @property
    def right(self) -> bool:
        """True when an honest call passes completely, or when every wrong argument of another call is refused."""
        return not self.refused if self.trial.honest else self.refused >= self.judged

    @property
    def judged(self) -> frozenset[str]:
        """The arguments that count: the wrong ones if listed, otherwise all."""
        return self.trial.wrong or frozenset(self.trial.arguments)

    @property
    def arguments_right(self) -> int:
        """How many arguments were correctly passed or refused."""
        refused = len(self.refused & self.judged)
        return len(self.judged) - refused if self.trial.honest else refused


def table(judged: Sequence[Judged]) -> Iterator[str]:
    """A Markdown table, one line per row and language: what should pass and did, what should be refused and was."""
    yield "| | language | calls | as they should | arguments | as they should |"
    yield "|---|---|---|---|---|---|"
    lines: dict[tuple[str, str], list[Judged]] = {}
    for each in judged:
        row = f"{each.trial.row}: {'passed' if each.trial.honest else 'refused'}"
        lines.setdefault((row, each.trial.language), []).append(each)
    for (row, language), own in lines.items():
        calls, arguments = len(own), sum(len(each.judged) for each in own)
        right = _share(sum(each.right for each in own), calls)
        arguments_right = _share(sum(each.arguments_right for each in own), arguments)
        yield f"| {row} | {language} | {calls} | {right} | {arguments} | {arguments_right} |"


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f} %)"


def failures(judged: Sequence[Judged]) -> Iterator[str]:
    """The wrong verdicts, each with the end of its conversation."""
    for each in judged:
        if each.right:
            continue
        trial = each.trial
        wrong = each.refused if trial.honest else each.judged - each.refused
        shown = {name: trial.arguments.get(name) for name in sorted(wrong)}
        yield f"{trial.language} {trial.row} {trial.id}: {'refused' if trial.honest else 'PASSED'} {shown}"
        for said in trial.said[-6:]:
            yield f"      {said.by}: {said.text if said.by != 'tool' else said.value}"


def arguments_passed(judged: Sequence[Judged], row: str) -> str:
    """Of the calls of a row, how many arguments passed: `24 of 33`."""
    own = [each for each in judged if each.trial.row == row]
    return f"{sum(each.arguments_right for each in own)} of {sum(len(each.trial.arguments) for each in own)}"
