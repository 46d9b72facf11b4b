"""Runs configurations over questions and writes the result files. Asks no question itself."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from servers.common import clock
from servers.text2cypher.data import GroundTruthItem, load_ground_truth
from servers.text2cypher.experiment.batch_processor import BatchProcessor, create_batch_processor
from servers.text2cypher.experiment.checkpoint import Checkpoint
from servers.text2cypher.experiment.configurations import CONFIGURATIONS, config_name
from servers.text2cypher.experiment.records import COLUMNS, Record, to_row
from servers.text2cypher.experiment.summary import compare_all, summarise
from servers.text2cypher.prompts import PromptType, SchemaFormat

Progress = Callable[[str, Record, int, int], None]
SUMMARY = "experiment_summary.json"
RESULTS = "agentic_results.csv"
TIMINGS = "timings.json"  # separate, so that interruptions of a run don't change the other files


class ExperimentRunner:
    """`out`: the results folder; None: `processor.settings.results_dir`."""

    def __init__(
        self,
        processor: BatchProcessor | None = None,
        out: Path | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.processor = processor or create_batch_processor()
        self.out = out or self.processor.settings.results_dir
        self._progress = progress
        self._records: dict[str, list[Record]] = {}

    def settle(
        self,
        configurations: Sequence[tuple[PromptType, SchemaFormat]],
        ground_truth_items: Sequence[GroundTruthItem],
    ) -> Path:
        """The results folder, or the first one beside it (`results-2` …) without a run with other settings."""
        given = self.out
        for number in count(2):
            checkpoints = [self._checkpoint(config_name(*pair), ground_truth_items) for pair in configurations]
            if not any(checkpoint.is_anothers for checkpoint in checkpoints):
                break
            self.out = given.with_name(f"{given.name}-{number}")
        return self.out

    def _checkpoint(self, name: str, items: Sequence[GroundTruthItem]) -> Checkpoint:
        return Checkpoint(self.out / "checkpoints" / f"{name}.jsonl", self._fingerprint(name, items))

    def run_configuration(
        self,
        prompt_type: PromptType,
        schema_format: SchemaFormat,
        ground_truth_items: Sequence[GroundTruthItem] | None = None,
    ) -> dict[str, Any]:
        """Runs one configuration: writes its CSV and returns its summary (with `config_name` and `records`).

        Questions finished in an earlier run aren't asked again; a run with other settings is kept in its own folder.
        Raises ModelGoneError, CheckpointError, GoldQueryError.
        """
        items = list(ground_truth_items) if ground_truth_items is not None else load_ground_truth()
        name = config_name(prompt_type, schema_format)
        self.settle([(prompt_type, schema_format)], items)
        checkpoint = self._checkpoint(name, items)
        records = self.processor.process_batch(
            items,
            prompt_type,
            schema_format,
            checkpoint,
            partial(self._progress, name) if self._progress else None,
        )
        self._records[name] = records
        _write(self.out / name / RESULTS, _csv(records))
        seconds = {record["question_id"]: record["duration_s"] for record in records}
        _write(self.out / name / TIMINGS, json.dumps(seconds, indent=1) + "\n")
        config = getattr(self.processor.model, "config", None)
        prices = (config.price_in, config.price_out) if config is not None else (0.0, 0.0)
        return {"config_name": name, **summarise(records, *prices), "records": records}

    def run(
        self,
        configurations: Sequence[tuple[PromptType, SchemaFormat]] = tuple(CONFIGURATIONS),
        ground_truth_items: Sequence[GroundTruthItem] | None = None,
    ) -> dict[str, Any]:
        """Runs several configurations, writes the summary file and returns the summary."""
        items = list(ground_truth_items) if ground_truth_items is not None else load_ground_truth()
        self.settle(configurations, items)
        found = {}
        for prompt_type, schema_format in configurations:
            result = self.run_configuration(prompt_type, schema_format, items)
            found[result["config_name"]] = {k: v for k, v in result.items() if k not in ("records", "config_name")}
            summary = self._summary(found)
            _write(self.out / SUMMARY, json.dumps(summary, ensure_ascii=False, indent=2) + "\n")
        return summary

    def _summary(self, found: dict[str, Any]) -> dict[str, Any]:
        settings = self.processor.settings
        config = getattr(self.processor.model, "config", None)
        return {
            "timestamp": clock.now().isoformat(timespec="seconds"),
            "total_configurations": len(found),
            "model": config.model if config is not None else type(self.processor.model).__name__,
            "temperature": config.temperature if config is not None else None,
            "max_iterations": settings.max_iterations,
            "aids": settings.aids.as_text(),
            "graph_engine": self.processor.bench.backend.name,
            "configurations": found,
            "comparisons": compare_all({name: self._records[name] for name in found}),
        }

    def _fingerprint(self, name: str, items: Sequence[GroundTruthItem]) -> str:
        """Changes with questions, graph, examples, model or settings, but not with a run's progress."""
        config = getattr(self.processor.model, "config", None)
        asked = [(item.question_id, item.question, item.cypher) for item in items]
        settings = self.processor.settings
        bench = self.processor.bench
        model = (config.model, config.temperature, config.max_tokens) if config is not None else ()
        how = (name, model, settings.aids.as_text(), settings.max_iterations, settings.examples)
        shown = [(example.question, example.cypher, example.core) for example in bench.examples]
        terms = [asked, how, shown, bench.backend.name, bench.backend.schema.as_dict()]
        return hashlib.sha256(json.dumps(terms).encode()).hexdigest()[:16]


def run_experiment(
    max_questions: int | None = None, *, out: Path | None = None, processor: BatchProcessor | None = None
) -> dict[str, Any]:
    """Runs all nine configurations over the first `max_questions` questions."""
    return ExperimentRunner(processor, out).run(ground_truth_items=load_ground_truth()[:max_questions])


def _csv(records: Sequence[Record]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(to_row(record) for record in records)
    return text.getvalue()


def _write(file: Path, text: str) -> None:
    """Writes the file atomically."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(file.suffix + ".part")
    with draft.open("w", encoding="utf-8", newline="") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    draft.replace(file)
