"""Loads questions with gold queries, and few-shot examples, from CSV or JSON. Runs no query.

A question file has the columns (or a JSON list of objects with the keys) `Tingkat Penalaran`, `Sublevel`, `Tingkat
Kompleksitas`, `Pertanyaan`, `Cypher Query`; a file of examples needs the last two, and `Inti` = ya marks those of the
fixed few-shot prompt.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parent
QUESTIONS = DATA / "questions.csv"
EXAMPLES = DATA / "examples.csv"
_NEEDED = ("Pertanyaan", "Cypher Query")


class QuestionFileError(ValueError):
    """A question file is wrong; the message says which and where."""


@dataclass(frozen=True)
class GroundTruthItem:
    """`hops`: Nodes, One-hop or Multi-hop; `complexity`: Easy, Medium or Hard."""

    question_id: str
    question: str
    cypher: str
    hops: str = ""
    sublevel: str = ""
    complexity: str = ""


@dataclass(frozen=True)
class Example:
    """A question and its query for a few-shot prompt."""

    question: str
    cypher: str
    core: bool = False


def load_ground_truth(file: Path | str = QUESTIONS) -> list[GroundTruthItem]:
    """The questions in the file's order, numbered by `question_id`, `No` or from 1. Raises QuestionFileError."""
    items = [
        GroundTruthItem(
            question_id=row.get("question_id") or row.get("No") or str(number),
            question=row["Pertanyaan"].strip(),
            cypher=row["Cypher Query"].strip(),
            hops=row.get("Tingkat Penalaran", "").strip(),
            sublevel=row.get("Sublevel", "").strip(),
            complexity=row.get("Tingkat Kompleksitas", "").strip(),
        )
        for number, row in enumerate(_rows(Path(file)), 1)
    ]
    numbers = Counter(item.question_id for item in items)
    if twice := [number for number, times in numbers.items() if times > 1]:
        raise QuestionFileError(f"{file}: question_id {', '.join(twice)} is there more than once; give each its own")
    return items


def load_examples(file: Path | str = EXAMPLES) -> list[Example]:
    """The few-shot examples in the file's order. Raises QuestionFileError."""
    return [
        Example(row["Pertanyaan"].strip(), row["Cypher Query"].strip(), row.get("Inti", "").strip().lower() == "ya")
        for row in _rows(Path(file))
    ]


def _rows(file: Path) -> list[dict[str, str]]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise QuestionFileError(f"{file}: no such file; give a CSV or JSON file of questions") from error
    except UnicodeDecodeError as error:
        raise QuestionFileError(f"{file}: not UTF-8; save it as UTF-8") from error
    rows = _from_json(file, text) if file.suffix == ".json" else _from_csv(text)
    for number, row in enumerate(rows, 1):
        missing = [name for name in _NEEDED if not (row.get(name) or "").strip()]
        if missing:
            raise QuestionFileError(f"{file}: question {number} has no {' and no '.join(missing)}")
    return rows


def _from_csv(text: str) -> list[dict[str, str]]:
    return [{k: v or "" for k, v in row.items() if k} for row in csv.DictReader(text.splitlines(keepends=True))]


def _from_json(file: Path, text: str) -> list[dict[str, str]]:
    try:
        held = json.loads(text)
    except json.JSONDecodeError as error:
        raise QuestionFileError(f"{file}:{error.lineno}: not JSON ({error.msg})") from error
    if not isinstance(held, list) or not all(isinstance(row, dict) for row in held):
        raise QuestionFileError(f"{file}: must be a list of objects")
    return [{k: "" if v is None else str(v) for k, v in row.items()} for row in held]
