"""The three notebooks run from top to bottom, in order, with a scripted endpoint (seed 004 §2.1, issue 8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import servers.text2cypher
from servers.text2cypher.data import load_ground_truth
from tests.scripted_model import Answer, asked, scripted_model

pytestmark = pytest.mark.slow

NOTEBOOKS = Path(servers.text2cypher.__file__).parent / "notebooks"


def gold(body: dict[str, Any]) -> Answer:
    text = asked(body)
    return next(f"<cypher>{item.cypher}</cypher>" for item in load_ground_truth() if item.question in text)


def _run(name: str) -> str:
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    return "\n".join(out.get("text", "") + str(out.get("data", {}).get("text/plain", "")) for out in outputs)


def test_the_notebooks_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_model(gold) as model:
        monkeypatch.setenv("TEXT2CYPHER_MODEL_URL", model.url)
        monkeypatch.setenv("TEXT2CYPHER_LIMIT", "2")
        monkeypatch.setenv("TEXT2CYPHER_OUT", str(tmp_path))
        inference = _run("01_agentic_inference.ipynb")
        assert "Success: True" in inference and inference.rstrip().endswith("9")
        assert "100.0" in _run("02_evaluation_metrics.ipynb")
        assert "report.html" in _run("03_comparative_analysis.ipynb")
    assert (tmp_path / "report.html").exists()
