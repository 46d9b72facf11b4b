"""`python -m lab.eval.evidence`: the judge of evidence on the field matrix, and on COD's development files if given.

    python -m lab.eval.evidence                          # the matrix, with what its fields say of themselves
    python -m lab.eval.evidence --bare                   # the matrix, names and descriptions alone
    python -m lab.eval.evidence --offices                # forty conversations at four strange offices
    python -m lab.eval.evidence --letters                # the shipped letters' conversations, without a question asked
    python -m lab.eval.evidence --natural                # natural ones at 49 more, also with a hosted model's calls
    python -m lab.eval.evidence --soundness              # what must not pass, and its honest twins
    python -m lab.eval.evidence --altered                # honest calls there with one thing changed (with --cod: COD's)
    python -m lab.eval.evidence --cod FOLDER/*_dev.json  # https://github.com/cambridgeltl/COD

The dialogues are not ours: they stay out of this repository. `--failures` shows wrong verdicts of the tuning half only;
of the other half there are totals alone.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path

from lab.eval.evidence import altered, answers, cod, filled, letters, matrix, offices, soundness
from lab.eval.evidence.report import Judged, failures, table
from lab.eval.evidence.trials import Trial, answered, refused, shown

Prepare = Callable[[Trial], Awaitable[Trial]]
STEPS: Mapping[str, Prepare | None] = {
    "proven": None,
    "shown": shown,
    "after_a_question": answered,
}
"""How far an honest call gets: proven, shown to the citizen for approval with doubts marked, or after a question."""

HalfOf = Callable[[Trial], str]
OWN: Mapping[str, tuple[Callable[[], Iterable[Trial]], HalfOf | None]] = {
    "soundness": (soundness.trials, soundness.half_of),
    "altered": (lambda: altered.trials((*offices.trials(offices.NATURAL), *offices.trials())), offices.half_of),
    "offices": (offices.trials, None),
    "letters": (letters.trials, None),
}
"""The sets of ours by their options; of one without halves every failure was looked at."""


async def judge(trials: Iterable[Trial], prepare: Prepare | None = None) -> list[Judged]:
    """Judge every trial. `prepare`, if given, transforms each trial first."""
    prepared = [await prepare(trial) for trial in trials] if prepare else trials
    return [Judged(trial, await refused(trial)) for trial in prepared]


def _show(title: str, judged: Sequence[Judged], *, with_failures: bool) -> None:
    print(f"\n**{title}**\n")
    print("\n".join(table(judged)))
    if with_failures:
        print("\n".join(("", *failures(judged))))


def _show_halves(title: str, judged: Sequence[Judged], half_of: HalfOf | None, *, with_failures: bool) -> None:
    """Print each half by itself; a set without halves as a whole."""
    if half_of is None:
        _show(title, judged, with_failures=with_failures)
        return
    for half in ("tuning", "reporting"):
        own = [each for each in judged if half_of(each.trial) == half]
        _show(f"{title}, {half} half", own, with_failures=with_failures and half == "tuning")


def _show_natural(*, with_failures: bool) -> None:
    sets = {file.stem: partial(offices.trials, file) for file in offices.FILES} | {"hosted": offices.hosted}
    for (name, made), (step, prepare) in product(sets.items(), STEPS.items()):
        judged = asyncio.run(judge(made(), prepare))
        title = f"{name}, {step.replace('_', ' ')}"
        _show_halves(title, judged, offices.half_of, with_failures=with_failures and prepare is None)
    for file in offices.FILES:
        _show_filled(file.stem, list(offices.trials(file)), with_values=with_failures)


def _show_filled(title: str, trials: Sequence[Trial], *, with_values: bool) -> None:
    for half in ("tuning", "reporting"):
        own = [trial for trial in trials if offices.half_of(trial) == half and trial.honest]
        print(f"{title}, filled in by the host, {half} half: {' of '.join(map(str, filled.filled(own)))} right")
        for trial in own if with_values and half == "tuning" else ():
            wrong = {name: value for name, value, is_right in filled.values(trial) if not is_right}
            print(*([f"{trial.id}: {wrong}"] if wrong else []), sep="\n")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.eval.evidence", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cod", metavar="FILE", type=Path, nargs="+", help="development files of COD: id_dev.json …")
    parser.add_argument("--bare", action="store_true", help="the matrix's fields without their labels, kinds and roles")
    parser.add_argument("--failures", action="store_true", help="also every wrong verdict")
    parser.add_argument("--offices", action="store_true", help="the conversations at four strange offices")
    parser.add_argument("--letters", action="store_true", help="the shipped letters, without a question asked")
    parser.add_argument("--natural", action="store_true", help="natural conversations, with several details a message")
    parser.add_argument("--soundness", action="store_true", help="chats with a wrong value each, and honest twins")
    parser.add_argument("--altered", action="store_true", help="honest calls with one thing changed: nothing passes")
    given = parser.parse_args()
    if given.natural:
        _show_natural(with_failures=given.failures)
        return
    if not given.cod:
        title = next((name for name in OWN if getattr(given, name)), "matrix, bare" if given.bare else "matrix")
        made, half_of = OWN.get(title, (partial(matrix.trials, bare=given.bare), None))
        judged = asyncio.run(judge(made()))
        _show_halves(title, judged, half_of, with_failures=given.failures)
        return
    for file in given.cod:
        language, dialogues = cod.load(file)
        trials = cod.trials(language, dialogues)
        judged = asyncio.run(judge(altered.trials(trials) if given.altered else trials))
        _show_halves(file.name, judged, cod.half_of, with_failures=given.failures)
        if not given.altered:
            print("", *asyncio.run(answers.table(language, dialogues)), sep="\n")


if __name__ == "__main__":
    main()
