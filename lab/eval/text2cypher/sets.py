"""The question sets: the shipped one, other wordings of it, and public ones loaded by our own loader. Asks nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.eval.clones import SOURCE, shown
from lab.eval.text2cypher import drawn, published, stackoverflow
from servers.text2cypher.data import Example, load_examples, load_ground_truth
from servers.text2cypher.graph.folder import CURRICULUM
from servers.text2cypher.loading.folder import write
from servers.text2cypher.loading.script import carry_out

QUESTIONS = "neo4j-labs/text2cypher"
_FILES = (
    "datasets/synthetic_opus_demodbs/text2cypher_claudeopus.csv",
    "datasets/synthetic_gpt4turbo_demodbs/text2cypher_gpt4turbo.csv",
)
_GRAPHS = {
    "movies": ("neo4j-graph-examples/movies", ("scripts/movies.cypher",)),
    "northwind": (
        "neo4j-graph-examples/northwind",
        (
            "scripts/northwind.cypher",
            *(f"import/{n}.csv" for n in "products categories suppliers customers orders order-details".split()),
        ),
    ),
    "fincen": ("jexp/fincen", published.FINCEN),
    "stackoverflow2": (stackoverflow.REPOSITORY, stackoverflow.FILES),
    "grandstack": ("ppecheux/skate-learning", ("api/src/seed/grandstack_businesses.csv",)),
    "healthcare": (
        "neo4j-graph-examples/healthcare-analytics",
        tuple(f"data/csv/{name}.csv" for name in published.HEALTHCARE),
    ),
}
_MADE = {
    "fincen": published.fincen,
    "stackoverflow2": stackoverflow.stackoverflow,
    "grandstack": published.grandstack,
    "healthcare": published.healthcare,
}
"""Functions that build the graphs without a script from their files."""
WORDINGS = ("paraphrases", "wordings")
"""Other wordings of the shipped questions: our own, and those of two authors who had seen only the questions."""
STRANGERS = Path(__file__).parent / "strangers.csv"
BLIND = "-blind"
"""Ends the name of a set of our own questions over a public graph."""
_PUBLIC = tuple(name for name in _GRAPHS if name != "healthcare")
SETS = ("home", *WORDINGS, *_PUBLIC, "movies-blind", "northwind-blind", "healthcare-blind", *drawn.GRAPHS)


@dataclass(frozen=True)
class Question:
    """A question. `half` is `tuning` or `test`, by hash of the question; `kind` is the set's own category.

    `other`: the query of a second model; "" if there is none or it is the same.
    """

    id: str
    question: str
    cypher: str
    kind: str
    half: str
    other: str = ""


@dataclass(frozen=True)
class QuestionSet:
    """A graph's folder, its examples (none for an unfamiliar graph), and its questions without duplicates."""

    name: str
    graph: Path
    examples: list[Example]
    questions: list[Question]


def question_set(name: str, data: Path) -> QuestionSet:
    """Load one of SETS; `data` is the folder that `fetch` filled. Raises FileNotFoundError that says how to fetch."""
    if name in ("home", *WORDINGS):
        items = [(item.question, item.cypher, item.hops) for item in load_ground_truth()]
        if name in WORDINGS:
            held = {item[0]: item for item in items}
            rows = published.rows(Path(__file__).with_name(f"{name}.csv"))
            items = [(row["Parafrase"], *held[row["Pertanyaan"]][1:]) for row in rows]
        return QuestionSet(name, CURRICULUM, load_examples(), list(_questions(items)))
    graph = data / name.removesuffix(BLIND)
    if not graph.is_dir():
        raise FileNotFoundError(f"{graph}: not there; run `python -m lab.eval.text2cypher fetch --data {data}` first")
    if name.endswith(BLIND):
        blind = [row for row in published.rows(STRANGERS) if row["Graf"] == graph.name]
        items = [(row["Pertanyaan"], row["Cypher"], row["Bahasa"]) for row in blind]
        return QuestionSet(name, graph, [], list(_questions(items)))
    return QuestionSet(name, graph, [], list(_questions(_public(name, data), _others(name, data))))


def _public(name: str, data: Path) -> list[tuple[str, str, str]]:
    rows = [row for file in _FILES for row in published.rows(data / Path(file).name) if row["database"] == name]
    return [(row["question"].strip(), row["cypher"].strip(), row["type"]) for row in rows if _is_usable(row)]


def _others(name: str, data: Path) -> dict[str, str]:
    """What GPT-4-turbo wrote, also for the questions whose gold is by Opus; of several the first."""
    rows = (row for row in published.rows(data / Path(_FILES[1]).name)[::-1] if row["database"] == name)
    return {row["question"].strip(): row["cypher"].strip() for row in rows}


def fetch(data: Path, source: str = SOURCE) -> None:
    """Download question files and graphs, and load each graph. `source` may name local clones: {owner}, {name}."""
    data.mkdir(parents=True, exist_ok=True)
    for file in (*_FILES, drawn.SCHEMAS):
        (data / Path(file).name).write_bytes(shown(data, source, QUESTIONS, file))
    for name, (repository, files) in _GRAPHS.items():
        folder = data / "scripts" / name
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            (folder / Path(file).name).write_bytes(shown(data, source, repository, file))
        if not (data / name).exists():
            made = _MADE[name](folder) if name in _MADE else carry_out(folder / Path(files[0]).name)
            write(made, data / name)
    for row in published.rows(data / Path(drawn.SCHEMAS).name):
        name = row["database"]
        if name in drawn.GRAPHS and not (data / name).exists():
            queries = [cypher for _, cypher, _ in _public(name, data)]
            write(drawn.drawn(row["structured_schema"], queries, data / name), data / name)


def _is_usable(row: dict[str, str]) -> bool:
    """Whether the authors' own run returned results without an error and within the existing schema."""
    fine = row["returns_results"] == "True" and row["syntax_error"] == "False" and row["timeout"] == "False"
    return fine and row["false_schema"] in ("", "False", "nan")


def _questions(items: list[tuple[str, str, str]], others: Mapping[str, str] | None = None) -> Iterator[Question]:
    seen: set[str] = set()
    for question, cypher, kind in items:
        digest = hashlib.sha256(question.encode()).hexdigest()
        if digest not in seen:
            seen.add(digest)
            half = "test" if int(digest[:2], 16) % 2 else "tuning"
            other = (others or {}).get(question, cypher)
            yield Question(digest[:16], question, cypher, kind, half, other if other != cypher else "")
