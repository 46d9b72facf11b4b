"""`text2cypher`: the study's command line. Parses, calls, prints; every decision is elsewhere.

text2cypher load --graph DIR --questions FILE       check a graph and questions, run every gold query
text2cypher validate --graph DIR < queries          a query a line in, one JSON a line out
text2cypher score FILE.jsonl [--graph DIR]          {gold, generated} a line in, the same with metrics out
text2cypher ask QUESTION                            one question through the loop
text2cypher run | resume | report                   the experiment
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from servers.text2cypher.data import QuestionFileError, load_ground_truth
from servers.text2cypher.graph.backend import GraphUnavailableError, QueryError
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.folder import GraphFileError
from servers.text2cypher.graph.open import open_backend
from servers.text2cypher.metrics.score import GoldQueryError, Scorer
from servers.text2cypher.validators import ValidationPipeline


def main(argv: Sequence[str] | None = None) -> None:
    """Exits 0 when all went well, 1 when what was checked is wrong, 2 when the command can't be carried out."""
    options = _parser().parse_args(argv)
    try:
        raise SystemExit(options.act(options))
    except (GraphFileError, QuestionFileError, GoldQueryError, GraphUnavailableError, QueryError, OSError) as error:
        print(f"text2cypher {options.command}: {error}", file=sys.stderr)
        raise SystemExit(2) from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="text2cypher", description="Questions about a graph, as Cypher.")
    commands = parser.add_subparsers(dest="command", required=True)

    load = commands.add_parser("load", help="check a graph folder and its questions")
    load.add_argument(
        "--graph", type=Path, help="folder of nodes.*.csv and edges.*.csv; default: the shipped curriculum"
    )
    load.add_argument("--questions", type=Path, help="CSV or JSON file of questions")
    load.set_defaults(act=_load)

    validate = commands.add_parser("validate", help="judge queries from standard input, one a line")
    validate.add_argument("--graph", type=Path)
    validate.set_defaults(act=_validate)

    score = commands.add_parser("score", help="measure generated queries against gold ones")
    score.add_argument("file", type=Path, metavar="FILE.jsonl")
    score.add_argument("--graph", type=Path)
    score.set_defaults(act=_score)
    return parser


def _load(options: argparse.Namespace) -> int:
    with closing(open_backend(options.graph, os.environ)) as backend:
        if isinstance(backend, EmbeddedBackend):
            for label, nodes in backend.data.nodes.items():
                print(f"{label}: {len(nodes)} nodes")
            for kind in backend.schema.relationships:
                print(f"{kind}: {sum(edge.kind == kind for edge in backend.data.edges)} relationships")
        if options.questions is None:
            return 0
        items = load_ground_truth(options.questions)
        pipeline = ValidationPipeline(backend)
        wrong = 0
        for item in items:
            verdict = pipeline.validate(item.cypher)
            if not verdict.is_valid:
                wrong += 1
                found = verdict.validation_results[-1]
                print(f"question {item.question_id}: {found.validator}: {found.error_message}", file=sys.stderr)
        print(f"{len(items)} questions, {len(items) - wrong} gold queries valid and not empty")
        return 1 if wrong else 0


def _validate(options: argparse.Namespace) -> int:
    with closing(open_backend(options.graph, os.environ)) as backend:
        pipeline = ValidationPipeline(backend)
        for line in sys.stdin:
            if query := line.strip():
                print(json.dumps(pipeline.validate(query).as_dict(), ensure_ascii=False), flush=True)
    return 0


def _score(options: argparse.Namespace) -> int:
    lines = options.file.read_text(encoding="utf-8").splitlines()
    backend = open_backend(options.graph, os.environ) if options.graph else None
    try:
        scorer = Scorer(backend)
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                pair = json.loads(line)
                gold, generated = str(pair["gold"]), str(pair["generated"])
            except (ValueError, TypeError, KeyError):
                message = f'{options.file}:{number}: not a line of {{"gold": "…", "generated": "…"}}'
                print(f"text2cypher score: {message}", file=sys.stderr)
                return 2
            print(json.dumps(pair | scorer.score(gold, generated), ensure_ascii=False), flush=True)
    finally:
        if backend is not None:
            backend.close()
    return 0


if __name__ == "__main__":
    main()
