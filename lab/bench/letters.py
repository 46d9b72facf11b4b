"""Measures the letter service: issuing and verifying, alone and by four processes. Asserts nothing."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.bench._timing import median, timed_ms
from servers.certificate.cli import open_service
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.settings import Settings
from servers.certificate.verifying.verification import Verifier
from tests.servers.certificate.letters import DOMISILI

PROCESSES, LETTERS_EACH, SINGLE, VERIFICATIONS = 4, 25, 40, 60


def run() -> dict[str, Any]:
    """The figures: milliseconds are medians."""
    with tempfile.TemporaryDirectory() as folder:
        service = _service(Path(folder) / "one")
        letter = service.catalogue.types["surat_keterangan_domisili"]
        issue_ms, issue_cpu_ms = _each(SINGLE, lambda: service.issue(letter, DOMISILI))
        pdf = Path(service.issue(letter, DOMISILI).path).read_bytes()
        verifier = Verifier(service)
        verifier.file(pdf)
        verify_ms, verify_cpu_ms = _each(VERIFICATIONS, lambda: verifier.file(pdf))
        service.close()
        rate = _four(Path(folder) / "four")
    return {
        "issue_ms": issue_ms,
        "issue_cpu_ms": issue_cpu_ms,
        "issued_per_second_by_four_processes": rate,
        "verify_ms": verify_ms,
        "verify_cpu_ms": verify_cpu_ms,
    }


def _service(state: Path) -> LetterService:
    settings = Settings.from_env({"AGENTD_STATE": str(state)})
    service = open_service(settings)
    service.warm_up()
    return service


def _each(times: int, work: Callable[[], object]) -> tuple[float, float]:
    """Median milliseconds: (wall clock, CPU)."""
    return median(timed_ms(work, times), 1), median(timed_ms(work, times, time.process_time), 1)


def _four(state: Path) -> float:
    """Letters per second while four processes issue concurrently."""
    _service(state).close()
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(PROCESSES + 1)
    workers = [context.Process(target=_worker, args=(state, ready)) for _ in range(PROCESSES)]
    for worker in workers:
        worker.start()
    ready.wait(60)
    start = time.perf_counter()
    for worker in workers:
        worker.join(120)
    return round(PROCESSES * LETTERS_EACH / (time.perf_counter() - start), 1)


def _worker(state: Path, ready: Any) -> None:
    service = _service(state)
    letter = service.catalogue.types["surat_keterangan_domisili"]
    ready.wait(60)
    for _ in range(LETTERS_EACH):
        service.issue(letter, DOMISILI)
    os._exit(0)
