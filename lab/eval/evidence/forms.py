"""Counts the values of Microsoft Recognizers-Text's specs (MIT) that are read, by kind and half: totals only.

The specs are not in this repository: `python -m lab.eval.evidence.forms FOLDER/Specs`, from a clone of
microsoft/Recognizers-Text. Beside each value its text is searched for the next ones of its kind, which it doesn't hold.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import spans
from lab.eval.evidence.trials import half

KINDS = {
    "Number/English/NumberModel": "number",
    "Number/English/OrdinalModel": "number",
    "NumberWithUnit/English/CurrencyModel": "money",
    "NumberWithUnit/English/DimensionModel": "number",
    "DateTime/English/DateParser": "date",
    "DateTime/English/TimeParser": "time",
    "Sequence/English/EmailModel": "email",
}
OTHERS = 5
"""How many values of other texts are searched for."""
_TODAY = "2016-11-07"
"""The day on which most of the specs are said."""


def cases(file: Path, kind: str) -> Iterator[tuple[str, str, set[str]]]:
    """(text, the day it is said on, its values) of each case with values; a day may be the next or the last."""
    for case in json.loads(file.read_text(encoding="utf-8-sig")):
        found = [one.get("Resolution") or one.get("Value") or {} for one in case.get("Results", ())]
        values = {str(value) for one in found for value in _values(one, kind)}
        if kind in ("number", "money"):
            values = {value for value in values if re.fullmatch(r"-?[\d.]+", value)}
        if values - {""}:
            yield case["Input"], case.get("Context", {}).get("ReferenceDateTime", _TODAY)[:10], values - {""}


def _values(resolution: Mapping[str, Any], kind: str) -> Iterator[Any]:
    if kind in ("date", "time"):
        yield from (resolution.get(when, {}).get(kind, "") for when in ("FutureResolution", "PastResolution"))
    else:
        yield resolution.get("value", "")


def held(text: str, day: str, kind: str, value: str) -> bool:
    """Whether a text holds a value of a field of this kind."""
    read = (Field("field:x", kind, None, "x", path="x", value=value, past=past) for past in (False, True))
    return any(span.supports for one in read for span in spans(one, folded_tokens(text), date.fromisoformat(day)))


def count(file: Path, kind: str) -> Counter[tuple[str, str]]:
    """{(half, what): how many texts}; `read` of `texts` hold one of their values, `wrong` of `others` another's."""
    known = list(cases(file, kind))
    total: Counter[tuple[str, str]] = Counter()
    for at, (text, day, values) in enumerate(known):
        others = {value for by in range(1, OTHERS + 1) for value in known[(at + by) % len(known)][2]} - values
        total[half(text), "texts"] += 1
        total[half(text), "read"] += any(held(text, day, kind, value) for value in values)
        total[half(text), "others"] += len(others)
        total[half(text), "wrong"] += sum(held(text, day, kind, value) for value in others)
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m lab.eval.evidence.forms", description=__doc__)
    parser.add_argument("folder", metavar="FOLDER/Specs", type=Path)
    folder = parser.parse_args().folder
    for name, of in KINDS.items():
        print(name, dict(sorted(count(folder / f"{name}.json", of).items())))
