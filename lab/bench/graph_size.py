"""How the graph's path grows with the graph: loading, linking a question (names exact and misspelt), validating.

Issue 20: at 60,000 nodes load ≤ 60 s, linking ≤ 10 ms, validation ≤ 5 ms. The graph is generated: people who write and
read books, every name another; a question names a stored person or book, right or with one letter wrong.
"""

from __future__ import annotations

import csv
import random
import resource
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lab.bench.cypher import timed
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.graph.embedded import EmbeddedBackend

SIZES = (600, 6_000, 60_000)
ASKED = 40
_SYLLABLES = [f"{first}{last}" for first in "bdghjklmnrstwy" for last in "aeiou"]
_QUERIES = (
    "MATCH (p:Person {{name: '{person}'}})-[:WROTE]->(b:Book) RETURN b.title",
    "MATCH (p:Person)-[:READ]->(b:Book {{title: '{book}'}}) RETURN p.name ORDER BY p.name",
    "MATCH (p:Person) WHERE p.born < 1950 RETURN count(p)",
)


def run() -> dict[str, Any]:
    """One row per size: seconds to load, milliseconds (median, worst) to link and validate, each the best of ROUNDS."""
    return {"points": [_point(size) for size in SIZES]}


def make(folder: Path, size: int, seed: int = 1) -> tuple[list[str], list[str]]:
    """Write a graph of `size` nodes and 2 × `size` relationships to CSV; return the names of its people and books."""
    chance = random.Random(seed)
    people, books = list(_names(chance, size // 2, 2)), list(_names(chance, size - size // 2, 3))
    keys = {"Person": [f"p{n}" for n in range(len(people))], "Book": [f"b{n}" for n in range(len(books))]}
    _write(
        folder / "nodes.Person.csv",
        ["_key", "name", "born"],
        ([key, name, chance.randint(1900, 2000)] for key, name in zip(keys["Person"], people, strict=True)),
    )
    _write(folder / "nodes.Book.csv", ["_key", "title"], zip(keys["Book"], books, strict=True))
    for kind in ("WROTE", "READ"):
        _write(
            folder / f"edges.{kind}.csv",
            ["from_label", "from_key", "to_label", "to_key"],
            (["Person", chance.choice(keys["Person"]), "Book", chance.choice(keys["Book"])] for _ in range(size)),
        )
    return people, books


def _point(size: int) -> dict[str, Any]:
    """One row; `cpu_s` covers this process and its children for the whole row and varies least on a busy machine."""
    began = _cpu_s()
    found = _measured(size)
    return {**found, "cpu_s": round(_cpu_s() - began, 1)}


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _measured(size: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        people, books = make(Path(folder), size)
        began = time.perf_counter()
        backend = EmbeddedBackend(Path(folder))
        try:
            bench = Workbench(backend, [], Path(folder))
            bench.linker.link("Which books did nobody write?")
            loaded = time.perf_counter() - began
            chance = random.Random(2)
            named = [(chance.choice(people), chance.choice(books)) for _ in range(ASKED)]
            exact = [f"Which books did the person {person} write?" for person, _ in named]
            misspelt = [f"Who read the book {_misspelt(chance, book)}?" for _, book in named]
            queries = [query.format(person=p, book=b) for p, b in named[:5] for query in _QUERIES]
            return {
                "nodes": size,
                "load_s": round(loaded, 2),
                **timed("link_exact", bench.linker.link, exact),
                **timed("link_misspelt", bench.linker.link, misspelt),
                "misspelt_found": sum(
                    bool(linked.mentions) and linked.mentions[0].value == book
                    for linked, (_, book) in zip(map(bench.linker.link, misspelt), named, strict=True)
                ),
                "misspelt": ASKED,
                **timed("validate", bench.pipeline.kg_valid, queries),
            }
        finally:
            backend.close()


def _names(chance: random.Random, count: int, words: int) -> Iterator[str]:
    seen: set[str] = set()
    while len(seen) < count:
        made = ("".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))).title() for _ in range(words))
        name = " ".join(made)
        if name not in seen:
            seen.add(name)
            yield name


def _misspelt(chance: random.Random, name: str) -> str:
    """Replace one letter inside a word by x."""
    inner = [at for at in range(1, len(name)) if name[at - 1].isalpha() and name[at].isalpha()]
    at = chance.choice(inner)
    return name[:at] + "x" + name[at + 1 :]


def _write(file: Path, header: list[str], rows: Iterable[Iterable[Any]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([header, *rows])
