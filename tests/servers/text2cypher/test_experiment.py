"""The experiment: files with the seed's columns and keys, checkpoints, kill and resume (seed 004 §3.6, §7, §8)."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from servers.text2cypher.config import Aids, LLMConfig, Settings
from servers.text2cypher.config.environment import environment
from servers.text2cypher.core.llm_client import LLMClient
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import load_ground_truth
from servers.text2cypher.experiment import (
    CONFIGURATIONS,
    BatchProcessor,
    ExperimentRunner,
    config_name,
    create_batch_processor,
    run_experiment,
)
from servers.text2cypher.experiment.batch_processor import ModelGoneError
from servers.text2cypher.experiment.checkpoint import Checkpoint, CheckpointError
from servers.text2cypher.prompts import PromptType, SchemaFormat
from tests.scripted_model import Answer, asked, in_turn, scripted_model

GOLD = {item.question: item.cypher for item in load_ground_truth()}


def gold_answers(body: dict[str, Any]) -> Answer:
    """The gold query, after a misspelt one for every question with an even number of letters."""
    text = asked(body)
    gold = next(cypher for question, cypher in GOLD.items() if question in text)
    first = not any(m["content"].startswith("## ") for m in body["messages"])
    return f"<cypher>{'METCH' + gold[5:] if first and len(text) % 2 == 0 else gold}</cypher>"


def processor(bench: Workbench, url: str, settings: Settings | None = None, **model: Any) -> BatchProcessor:
    return BatchProcessor(bench, LLMClient(LLMConfig("test", "s", url=url, **model), sleep=lambda _: None), settings)


def test_the_nine_configurations_have_the_seeds_names() -> None:
    """Seed 004 §3.6.1."""
    names = [config_name(*pair) for pair in CONFIGURATIONS]
    assert names == [f"{p}_{s}" for p in ("Zero-Shot", "Few-Shot", "CoT") for s in ("Full", "Nodes+Paths", "Paths")]


def test_the_python_api_of_the_seed_works(bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed 004 §7."""
    ground_truth = load_ground_truth()
    with scripted_model(gold_answers) as model:
        monkeypatch.setenv("TEXT2CYPHER_MODEL_URL", model.url)
        single = create_batch_processor()
        state = single.process_single(
            item=ground_truth[0], prompt_type=PromptType.ZERO_SHOT, schema_format=SchemaFormat.FULL_SCHEMA
        )
        single.bench.backend.close()
        assert state.success and state.final_query == ground_truth[0].cypher and state.total_iterations in (1, 2)
        runner = ExperimentRunner(processor(bench, model.url), tmp_path)
        result = runner.run_configuration(
            prompt_type=PromptType.CHAIN_OF_THOUGHT,
            schema_format=SchemaFormat.FULL_SCHEMA,
            ground_truth_items=ground_truth[:3],
        )
        assert (result["config_name"], result["pass_at_1_rate"], result["questions"]) == ("CoT_Full", 100.0, 3)
        summary = run_experiment(max_questions=1, out=tmp_path / "all", processor=processor(bench, model.url))
        assert summary["total_configurations"] == 9


def test_the_documents_own_import_paths_work(tmp_path: Path) -> None:
    """Seed 004 §7."""
    lines = """
import servers.text2cypher.agentic
from experiment import ExperimentRunner, run_experiment
from experiment.experiment_runner import run_experiment as same
from experiment.batch_processor import create_batch_processor
from prompts import PromptType, SchemaFormat
from data import load_ground_truth
from servers.text2cypher.prompts import PromptType as ours
assert run_experiment is same and PromptType is ours and len(load_ground_truth()) == 52
"""
    subprocess.run([sys.executable, "-c", lines], check=True, timeout=300)


def test_the_environment_file_is_read_and_the_environment_wins(tmp_path: Path) -> None:
    """Seed 004 §4.1."""
    (tmp_path / ".env").write_text("GROQ_API_KEY=from-file\nNEO4J_USER='someone else'\n", encoding="utf-8")
    found = environment({"GROQ_API_KEY": "from-environment"}, tmp_path)
    assert (found["GROQ_API_KEY"], found["NEO4J_USER"]) == ("from-environment", "someone else")
    config = LLMConfig.from_env(environment({}, tmp_path))
    assert config is not None and (config.token, config.provider) == ("from-file", "groq")
    assert config.url == "https://api.groq.com/openai/v1"


def test_results_have_the_seeds_columns_and_keys(bench: Workbench, tmp_path: Path) -> None:
    """Seed 004 §8."""
    with scripted_model(gold_answers) as model:
        runner = ExperimentRunner(processor(bench, model.url), tmp_path)
        summary = runner.run([(PromptType.FEW_SHOT, SchemaFormat.ONLY_PATHS)], load_ground_truth()[:8])
    with (tmp_path / "Few-Shot_Paths" / "agentic_results.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert list(rows[0])[:7] == [
        "question_id",
        "question",
        "ground_truth_query",
        "generated_query",
        "success",
        "total_iterations",
        "first_attempt_valid",
    ]
    assert {"bleu", "rouge_l_f1", "jaro_winkler", "jaccard_cypher", "pass_at_1", "jaccard_output"} <= set(rows[0])
    assert rows[0]["success"] == "True"
    held = json.loads((tmp_path / "experiment_summary.json").read_text(encoding="utf-8"))
    assert held == summary and {"timestamp", "total_configurations", "configurations"} <= set(held)
    found = held["configurations"]["Few-Shot_Paths"]
    assert {"pass_at_1_rate", "kg_valid_rate", "llmetric", "agentic_metrics"} <= set(found)
    assert {"avg_iterations", "first_attempt_success_rate", "recovery_rate"} <= set(found["agentic_metrics"])
    assert found["pass_at_1_rate"] == 100.0 and found["agentic_metrics"]["recovery_rate"] == 1.0
    sure = found["confidence_95"]
    measured = {name for name in found if name.endswith(("_avg", "_rate")) and name != "jarou_avg"}
    assert measured | {"llmetric", "error_recovery_by_type"} | set(found["agentic_metrics"]) - {
        "initially_failed",
        "errors_by_type",
    } == set(sure)
    assert sure["llmetric"][0] <= found["llmetric"] <= sure["llmetric"][1]
    assert 0 < sure["recovery_rate"][0] < sure["recovery_rate"][1] == 1.0


def test_the_best_configuration_is_held_against_each_other_one(bench: Workbench, tmp_path: Path) -> None:
    def only_few_shot(body: dict[str, Any]) -> Answer:
        shown = sum(m["role"] == "assistant" for m in body["messages"]) > 2
        return gold_answers(body) if shown else "<cypher>MATCH (m:MK) RETURN m.nama LIMIT 1</cypher>"

    zero, few, cot = ((kind, SchemaFormat.ONLY_PATHS) for kind in PromptType)
    with scripted_model(only_few_shot) as model:
        runner = ExperimentRunner(processor(bench, model.url, Settings(aids=Aids.none())), tmp_path)
        summary = runner.run([zero, few, cot], load_ground_truth()[:8])
    first, second = summary["comparisons"]
    assert (first["first"], first["second"]) == ("Zero-Shot_Paths", "Few-Shot_Paths")
    assert (first["only_first_passes"], first["only_second_passes"]) == (0, 8)
    assert first["pass_at_1_p"] == pytest.approx(2 / 2**8)
    assert first["pass_at_1_p_holm"] == second["pass_at_1_p_holm"] == pytest.approx(4 / 2**8)


def test_calls_of_the_model_are_kept_apart_by_the_rate_limit(bench: Workbench) -> None:
    """Seed 004 §3.6.2: a delay between API calls, those of a refinement too."""
    waits: list[float] = []
    with scripted_model(in_turn("<cypher>METCH</cypher>")) as model:
        client = LLMClient(LLMConfig("test", "s", url=model.url), sleep=lambda _: None)
        limited = BatchProcessor(bench, client, Settings(delay_s=2.5, aids=Aids.none()), waits.append)
        limited.process_batch(load_ground_truth()[:2], PromptType.ZERO_SHOT, SchemaFormat.ONLY_PATHS)
        assert len(model.requests) == 6
    assert waits == [2.5] * 5


def _run_cli(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "servers.text2cypher.cli", *arguments],
        env=os.environ | {"AGENTD_CLOCK": "2026-03-05T09:15:00+07:00"} | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def _files(folder: Path) -> dict[str, str]:
    names = ["experiment_summary.json", "Zero-Shot_Full/agentic_results.csv", "report.html"]
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


def test_a_killed_run_resumes_to_the_same_files(tmp_path: Path) -> None:
    how = ("--prompt", "zero_shot", "--schema", "full_schema", "--limit", "6", "--aids", "none")
    with scripted_model(gold_answers) as model:
        whole = _run_cli("run", *how, "--out", str(tmp_path / "whole"), TEXT2CYPHER_MODEL_URL=model.url)
        assert whole.returncode == 0, whole.stderr
        asked_at_once = len(model.requests)
        broken = subprocess.Popen(
            [sys.executable, "-m", "servers.text2cypher.cli", "run", *how, "--out", str(tmp_path / "broken")],
            env=os.environ | {"TEXT2CYPHER_MODEL_URL": model.url, "AGENTD_CLOCK": "2026-03-05T09:15:00+07:00"},
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        assert broken.stderr is not None
        for line in broken.stderr:
            if " 3/6 " in line:
                break
        os.kill(broken.pid, signal.SIGKILL)
        broken.wait(timeout=300)
        broken.stderr.close()
        checkpoint = tmp_path / "broken" / "checkpoints" / "Zero-Shot_Full.jsonl"
        with checkpoint.open("ab") as handle:
            handle.write(b'{"question_id": "4", "torn')
        before = len(model.requests)
        resumed = _run_cli("resume", "--out", str(tmp_path / "broken"), TEXT2CYPHER_MODEL_URL=model.url)
        assert resumed.returncode == 0, resumed.stderr
        assert len(model.requests) - before < asked_at_once
    assert _files(tmp_path / "whole") == _files(tmp_path / "broken")
    assert "data:image/png;base64," in _files(tmp_path / "whole")["report.html"]


def test_a_checkpoint_of_another_run_is_not_mixed_in(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    Checkpoint(file, "one").append({"question_id": "1"})
    assert Checkpoint(file, "one").load() == [{"question_id": "1"}]
    with pytest.raises(CheckpointError, match="other questions or settings"):
        Checkpoint(file, "two").load()
    with file.open("ab") as handle:
        handle.write(b"not JSON\n")
    with pytest.raises(CheckpointError, match="damaged"):
        Checkpoint(file, "one").load()


def test_another_temperature_is_another_run_beside_the_first(bench: Workbench, tmp_path: Path) -> None:
    items = load_ground_truth()[:1]
    out = tmp_path / "results"
    how = (PromptType.ZERO_SHOT, SchemaFormat.ONLY_PATHS)
    with scripted_model(gold_answers) as model:
        ExperimentRunner(processor(bench, model.url), out).run_configuration(*how, items)
        asked_first = len(model.requests)
        warmer = ExperimentRunner(processor(bench, model.url, temperature=0.7), out)
        warmer.run_configuration(*how, items)
        assert warmer.out == tmp_path / "results-2" and len(model.requests) == 2 * asked_first
        again = ExperimentRunner(processor(bench, model.url, temperature=0.7), out)
        again.run_configuration(*how, items)
        assert again.out == warmer.out and len(model.requests) == 2 * asked_first
        assert (out / "Zero-Shot_Paths" / "agentic_results.csv").exists()


def test_a_full_disk_at_a_checkpoint_is_said(tmp_path: Path) -> None:
    file = tmp_path / "full.jsonl"
    file.symlink_to("/dev/full")
    with pytest.raises(CheckpointError, match=r"No space left.*resume"):
        Checkpoint(file, "x").append({"question_id": "1"})


def test_a_provider_that_stays_down_stops_the_run_and_loses_nothing(bench: Workbench, tmp_path: Path) -> None:
    items = load_ground_truth()[:6]
    answers = [f"<cypher>{items[0].cypher}</cypher>", (503, "down")]
    with scripted_model(in_turn(*answers)) as model:
        runner = ExperimentRunner(processor(bench, model.url), tmp_path)
        with pytest.raises(ModelGoneError, match="in a row"):
            runner.run_configuration(PromptType.ZERO_SHOT, SchemaFormat.FULL_SCHEMA, items)
    with scripted_model(gold_answers) as model:
        runner = ExperimentRunner(processor(bench, model.url), tmp_path)
        result = runner.run_configuration(PromptType.ZERO_SHOT, SchemaFormat.FULL_SCHEMA, items)
        assert result["pass_at_1_rate"] == 100.0
        assert not any(items[0].question in asked(body) for body in model.requests)
