"""`text2cypher`: the study's command line. Parses, calls, prints; every decision is elsewhere.

text2cypher load SCRIPT.cypher --graph DIR          make a graph folder of a Cypher script
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
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from servers.text2cypher.config import Aids, LLMConfig, Settings
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.agent_state import Attempt
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.llm_client import LLMClient, LLMError
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import QuestionFileError, load_examples, load_ground_truth
from servers.text2cypher.data.ground_truth_loader import EXAMPLES, QUESTIONS
from servers.text2cypher.experiment import CONFIGURATIONS, BatchProcessor, ExperimentRunner
from servers.text2cypher.experiment.batch_processor import ModelGoneError
from servers.text2cypher.experiment.model_process import embedded_model
from servers.text2cypher.experiment.records import Record
from servers.text2cypher.graph.backend import GraphUnavailableError, QueryError
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.folder import GraphFileError
from servers.text2cypher.graph.open import open_backend
from servers.text2cypher.linking.lexicon import LexiconError, write_lexicon
from servers.text2cypher.loading.cursor import ScriptError
from servers.text2cypher.loading.folder import write
from servers.text2cypher.loading.run import carry_out
from servers.text2cypher.metrics.score import GoldQueryError, Scorer
from servers.text2cypher.prompts import PromptType, SchemaFormat
from servers.text2cypher.report import write_report
from servers.text2cypher.report.results import ResultsError
from servers.text2cypher.validators import ValidationPipeline

OPTIONS_FILE = "run.json"
_KEPT = (
    "graph questions examples prompt schema limit model_url model temperature max_tokens max_iterations delay aids "
    "candidates"
).split()
_WRONG = (
    GraphFileError,
    ScriptError,
    LexiconError,
    QuestionFileError,
    GoldQueryError,
    GraphUnavailableError,
    QueryError,
    LLMError,
    ModelGoneError,
    ResultsError,
    OSError,
)


def main(argv: Sequence[str] | None = None) -> None:
    """Exits 0 when all went well, 1 when what was checked is wrong, 2 when the command can't be carried out."""
    options = _parser().parse_args(argv)
    try:
        raise SystemExit(options.act(options))
    except _WRONG as error:
        print(f"text2cypher {options.command}: {error}", file=sys.stderr)
        raise SystemExit(2) from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="text2cypher", description="Questions about a graph, as Cypher.")
    commands = parser.add_subparsers(dest="command", required=True)

    load = commands.add_parser("load", help="make a graph folder of a Cypher script, or check one and its questions")
    load.add_argument("script", type=Path, nargs="?", help="a script of CREATE, MERGE, LOAD CSV … to make --graph of")
    load.add_argument(
        "--graph", type=Path, help="folder of nodes.*.csv and edges.*.csv; default: the shipped curriculum"
    )
    load.add_argument("--questions", type=Path, help="CSV or JSON file of questions")
    load.add_argument("--lexicon", action="store_true", help="write the folder's lexicon.json, to be edited")
    load.set_defaults(act=_load)

    validate = commands.add_parser("validate", help="judge queries from standard input, one a line")
    validate.add_argument("--graph", type=Path)
    validate.set_defaults(act=_validate)

    score = commands.add_parser("score", help="measure generated queries against gold ones")
    score.add_argument("file", type=Path, metavar="FILE.jsonl")
    score.add_argument("--graph", type=Path)
    score.set_defaults(act=_score)

    one = commands.add_parser("ask", help="one question through the loop")
    one.add_argument("question")
    _add_how(one)
    one.add_argument("--json", action="store_true", help="the whole answer as JSON")
    one.set_defaults(act=_ask)

    run = commands.add_parser("run", help="run configurations over questions")
    run.add_argument("--questions", type=Path, default=QUESTIONS)
    run.add_argument("--out", type=Path, default=Path("results"), help="results folder (default: results)")
    run.add_argument("--limit", type=int, help="only the first N questions")
    _add_how(run, several=True)
    run.set_defaults(act=_run)

    resume = commands.add_parser("resume", help="go on with a run that was broken off")
    resume.add_argument("--out", type=Path, default=Path("results"))
    resume.set_defaults(act=_resume)

    report = commands.add_parser("report", help="write report.html from a run's results")
    report.add_argument("--out", type=Path, default=Path("results"))
    report.set_defaults(act=_report)
    return parser


def _add_how(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Which graph, which model, which prompt, which aids."""
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
        "--aids", default="default", help="default, all, none, or of grammar,linking,examples,execution,selfcheck"
    )
    parser.add_argument("--candidates", type=int, default=1, help="queries written a turn")


def _load(options: argparse.Namespace) -> int:
    if options.script is not None:
        for word in write(carry_out(options.script), options.graph or Path(options.script.stem)):
            print(f"text2cypher load: {word}", file=sys.stderr)
        options.graph = options.graph or Path(options.script.stem)
    with closing(open_backend(options.graph, os.environ)) as backend:
        if isinstance(backend, EmbeddedBackend):
            for label, nodes in backend.data.nodes.items():
                print(f"{label}: {len(nodes)} nodes")
            for kind in backend.schema.relationships:
                print(f"{kind}: {sum(edge.kind == kind for edge in backend.data.edges)} relationships")
        if options.lexicon:
            print(write_lexicon(options.graph, backend.schema))
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


@contextmanager
def _processor(options: argparse.Namespace) -> Iterator[BatchProcessor]:
    """Graph, model and settings as the options say; everything closed at the end. Starts a model when none is given."""
    try:
        aids = Aids.parse(options.aids, options.candidates)
    except ValueError as error:
        raise LLMError(f"--aids: {error}") from error
    settings = Settings(max_iterations=options.max_iterations, delay_s=options.delay, aids=aids)
    backend = open_backend(options.graph, os.environ)
    try:
        bench = Workbench(backend, load_examples(options.examples), options.graph)
        config = LLMConfig.from_env(os.environ, url=options.model_url, model=options.model)
        asked = {"temperature": options.temperature, "max_tokens": options.max_tokens}
        if config is not None:
            yield BatchProcessor(bench, LLMClient(replace(config, **asked)), settings)
            return
        with embedded_model() as url:
            config = LLMConfig("agentd", options.model or "raw", url=url, **asked)
            yield BatchProcessor(bench, LLMClient(config), settings)
    finally:
        backend.close()


def _ask(options: argparse.Namespace) -> int:
    with _processor(options) as processor:
        loop = AgentLoop(
            processor.bench,
            processor.model,
            prompt_type=PromptType(options.prompt),
            schema_format=SchemaFormat(options.schema),
            settings=processor.settings,
        )
        found = ask(processor.bench, loop, options.question, None if options.json else _tell_attempt)
    if options.json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        print(found["answer"])
    return 0 if found["status"] == "success" else 1


def _tell_attempt(attempt: Attempt) -> None:
    print(f"{attempt.iteration}: {attempt.query}", file=sys.stderr)
    for result in attempt.validation_results:
        if not result.is_valid:
            print(f"   {result.validator}: {result.error_message}", file=sys.stderr)


def _run(options: argparse.Namespace) -> int:
    options.out.mkdir(parents=True, exist_ok=True)
    kept = {name: getattr(options, name) for name in _KEPT}
    text = json.dumps({name: str(v.resolve()) if isinstance(v, Path) else v for name, v in kept.items()}, indent=1)
    (options.out / OPTIONS_FILE).write_text(text + "\n", encoding="utf-8")
    items = load_ground_truth(options.questions)[: options.limit]
    chosen = [
        (prompt, schema)
        for prompt, schema in CONFIGURATIONS
        if options.prompt in ("all", prompt.value) and options.schema in ("all", schema.value)
    ]
    with _processor(options) as processor:
        summary = ExperimentRunner(processor, options.out, _tell_progress).run(chosen, items)
    for name, found in summary["configurations"].items():
        print(
            f"{name}: Pass@1 {found['pass_at_1_rate']}, KG valid {found['kg_valid_rate']}, LLMetric {found['llmetric']}"
        )
    print(write_report(options.out))
    return 0


def _tell_progress(name: str, record: Record, done: int, total: int) -> None:
    mark = "pass" if record["pass_at_1"] else ("valid" if record["success"] else "failed")
    print(
        f"{name} {done}/{total} {mark} ({record['total_iterations']}): {record['question']}",
        file=sys.stderr,
        flush=True,
    )


def _resume(options: argparse.Namespace) -> int:
    file = options.out / OPTIONS_FILE
    if not file.exists():
        raise ResultsError(f"{file}: not there; only a run that was started with `text2cypher run` can be resumed")
    kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    for name in ("graph", "questions", "examples"):
        kept[name] = Path(kept[name]) if kept[name] else None
    return _run(argparse.Namespace(**kept, out=options.out, command="resume"))


def _report(options: argparse.Namespace) -> int:
    print(write_report(options.out))
    return 0


if __name__ == "__main__":
    main()
