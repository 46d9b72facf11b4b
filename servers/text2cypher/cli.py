"""`text2cypher`: the study's command line. Parses, calls, prints; every decision is elsewhere.

text2cypher load SCRIPT.cypher --graph DIR          make a graph folder of a Cypher script
text2cypher load --graph DIR --questions FILE       check a graph and questions, run every gold query
text2cypher schema --graph DIR --out DIR            the schema as text, in three formats
text2cypher validate --graph DIR < queries          a query a line in, one JSON a line out
text2cypher score FILE.jsonl [--graph DIR]          {gold, generated} a line in, the same with metrics out
text2cypher ask QUESTION                            one question through the loop
text2cypher run | resume | report                   the experiment
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from servers.text2cypher.config import Aids, LLMConfig, Settings
from servers.text2cypher.config.environment import environment
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.agent_state import Attempt
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.llm_client import LLMClient, LLMError
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import QuestionFileError, load_examples, load_ground_truth
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
from servers.text2cypher.loading.script import carry_out
from servers.text2cypher.metrics.score import GoldQueryError, Scorer
from servers.text2cypher.options import parser
from servers.text2cypher.prompts import PromptType, SchemaFormat
from servers.text2cypher.prompts.prompt_manager import schema_texts
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
    UnicodeError,
)


def main(argv: Sequence[str] | None = None) -> None:
    """Exits with 0 for success, 1 if what was checked is wrong, 2 if the command can't be executed."""
    options = parser().parse_args(argv)
    try:
        raise SystemExit(_ACTS[options.command](options))
    except _WRONG as error:
        said = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else error
        print(f"text2cypher {options.command}: {said}", file=sys.stderr)
        raise SystemExit(2) from error


def _load(options: argparse.Namespace) -> int:
    if options.script is not None:
        options.graph = options.graph or Path(options.script.stem)
        for word in write(carry_out(options.script), options.graph):
            print(f"text2cypher load: {word}", file=sys.stderr)
    with closing(open_backend(options.graph, environment())) as backend:
        if isinstance(backend, EmbeddedBackend):
            for label, nodes in backend.data.nodes.items():
                print(f"{label}: {len(nodes)} nodes")
            for kind in backend.schema.relationships:
                print(f"{kind}: {sum(edge.kind == kind for edge in backend.data.edges)} relationships")
        if options.lexicon:
            print(write_lexicon(options.graph, backend.schema, _ask_model if options.synonyms else None))
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


def _ask_model(request: str) -> str:
    config = LLMConfig.from_env(environment())
    if config is None:
        raise LLMError("--synonyms: set TEXT2CYPHER_MODEL_URL, AGENTD_MODEL_URL or GROQ_API_KEY")
    with closing(LLMClient(config)) as client:
        return client.complete([{"role": "user", "content": request}]).text


def _schema(options: argparse.Namespace) -> int:
    with closing(open_backend(options.graph, environment())) as backend:
        options.out.mkdir(parents=True, exist_ok=True)
        for kind, text in schema_texts(backend.schema).items():
            file = options.out / f"{kind.value}.txt"
            file.write_text(text + "\n", encoding="utf-8")
            print(file)
    return 0


def _validate(options: argparse.Namespace) -> int:
    with closing(open_backend(options.graph, environment())) as backend:
        pipeline = ValidationPipeline(backend)
        for line in sys.stdin:
            print(json.dumps(pipeline.validate(line.strip()).as_dict(), ensure_ascii=False), flush=True)
    return 0


def _score(options: argparse.Namespace) -> int:
    lines = options.file.read_text(encoding="utf-8-sig").split("\n")  # a JSON string may contain other line breaks
    backend = open_backend(options.graph, environment()) if options.graph else None
    try:
        scorer = Scorer(backend)
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                pair = json.loads(line)
                gold, generated = pair["gold"], pair["generated"]
            except (ValueError, TypeError, KeyError):
                gold = generated = None
            if not (isinstance(gold, str) and isinstance(generated, str)):
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
    """Graph, model and settings from the options, closed at the end. Starts a model if none is given."""
    try:
        aids = Aids.parse(options.aids, options.candidates)
    except ValueError as error:
        raise LLMError(f"--aids: {error}") from error
    settings = Settings(max_iterations=options.max_iterations, delay_s=options.delay, aids=aids)
    backend = open_backend(options.graph, environment())
    try:
        bench = Workbench(backend, load_examples(options.examples), options.graph)
        config = LLMConfig.from_env(environment(), url=options.model_url, model=options.model)
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
    alone = " (no model asked)" if attempt.written_by == "reading" else ""
    print(f"{attempt.iteration}{alone}: {attempt.query}", file=sys.stderr)
    for result in attempt.validation_results:
        if not result.is_valid:
            print(f"   {result.validator}: {result.error_message}", file=sys.stderr)


def _run(options: argparse.Namespace) -> int:
    items = load_ground_truth(options.questions)[: options.limit]
    chosen = [
        (prompt, schema)
        for prompt, schema in CONFIGURATIONS
        if options.prompt in ("all", prompt.value) and options.schema in ("all", schema.value)
    ]
    with _processor(options) as processor:
        runner = ExperimentRunner(processor, options.out, _tell_progress)
        options.out = runner.settle(chosen, items)
        _keep(options)
        summary = runner.run(chosen, items)
    for name, found in summary["configurations"].items():
        print(
            f"{name}: Pass@1 {found['pass_at_1_rate']}, KG valid {found['kg_valid_rate']}, LLMetric {found['llmetric']}"
        )
    print(write_report(options.out))
    return 0


def _keep(options: argparse.Namespace) -> None:
    """Saves the options beside the results, for `resume`."""
    options.out.mkdir(parents=True, exist_ok=True)
    kept = {name: getattr(options, name) for name in _KEPT}
    text = json.dumps({name: str(v.resolve()) if isinstance(v, Path) else v for name, v in kept.items()}, indent=1)
    (options.out / OPTIONS_FILE).write_text(text + "\n", encoding="utf-8")


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


_ACTS = {
    "load": _load,
    "schema": _schema,
    "validate": _validate,
    "score": _score,
    "ask": _ask,
    "run": _run,
    "resume": _resume,
    "report": _report,
}


if __name__ == "__main__":
    main()
