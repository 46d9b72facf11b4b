"""The options of the command line `text2cypher`. Only parses."""

from __future__ import annotations

import argparse
from pathlib import Path

from servers.text2cypher.data.ground_truth_loader import EXAMPLES, QUESTIONS
from servers.text2cypher.prompts import PromptType, SchemaFormat


def parser() -> argparse.ArgumentParser:
    """The command line parser; `command` is the command's name."""
    held = argparse.ArgumentParser(prog="text2cypher", description="Questions about a graph, as Cypher.")
    commands = held.add_subparsers(dest="command", required=True)

    load = commands.add_parser("load", help="make a graph folder of a Cypher script, or check one and its questions")
    load.add_argument("script", type=Path, nargs="?", help="a script of CREATE, MERGE, LOAD CSV … to make --graph of")
    load.add_argument(
        "--graph", type=Path, help="folder of nodes.*.csv and edges.*.csv; default: the shipped curriculum"
    )
    load.add_argument("--questions", type=Path, help="CSV or JSON file of questions")
    load.add_argument("--lexicon", action="store_true", help="write the folder's lexicon.json, to be edited")
    load.add_argument(
        "--synonyms", action="store_true", help="with --lexicon: words proposed once by the configured model, marked"
    )

    schema = commands.add_parser("schema", help="write the graph's schema as text, in the three formats")
    schema.add_argument("--graph", type=Path)
    schema.add_argument("--out", type=Path, default=Path("schemas/formats"))

    validate = commands.add_parser("validate", help="judge queries from standard input, one a line")
    validate.add_argument("--graph", type=Path)

    score = commands.add_parser("score", help="measure generated queries against gold ones")
    score.add_argument("file", type=Path, metavar="FILE.jsonl")
    score.add_argument("--graph", type=Path)

    one = commands.add_parser("ask", help="one question through the loop")
    one.add_argument("question")
    _add_how(one)
    one.add_argument("--json", action="store_true", help="the whole answer as JSON")

    run = commands.add_parser("run", help="run configurations over questions")
    run.add_argument("--questions", type=Path, default=QUESTIONS)
    run.add_argument("--out", type=Path, default=Path("results"), help="results folder (default: results)")
    run.add_argument("--limit", type=int, help="only the first N questions")
    _add_how(run, several=True)

    resume = commands.add_parser("resume", help="go on with a run that was broken off")
    resume.add_argument("--out", type=Path, default=Path("results"))

    report = commands.add_parser("report", help="write report.html from a run's results")
    report.add_argument("--out", type=Path, default=Path("results"))
    return held


def _add_how(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Adds the options for the graph, model, prompt and aids."""
    every = ["all"] if several else []
    prompts = [kind.value for kind in PromptType]
    schemas = [kind.value for kind in SchemaFormat]
    parser.add_argument("--graph", type=Path)
    parser.add_argument("--examples", type=Path, default=EXAMPLES, help="few-shot examples")
    parser.add_argument("--prompt", choices=prompts + every, default="all" if several else "few_shot")
    parser.add_argument("--schema", choices=schemas + every, default="all" if several else "full_schema")
    parser.add_argument("--model-url", help="an OpenAI-compatible endpoint; default: the environment's, else embedded")
    parser.add_argument("--model")
    parser.add_argument("--temperature", type=float, default=0.1)
    parser.add_argument("--max-tokens", type=int, default=2048)
    parser.add_argument("--max-iterations", type=int, default=3)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds between calls of the model (rate limit)")
    parser.add_argument(
        "--aids", default="default", help="default, all, none, or of grammar,linking,examples,execution"
    )
    parser.add_argument("--candidates", type=int, default=1, help="queries written a turn")
