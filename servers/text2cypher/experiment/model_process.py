"""Starts `agentd models serve` for a run without a given model, and stops it. Sends it no requests."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from servers.text2cypher.core.llm_client import LLMError
from servers.text2cypher.graph.lockdown import die_with_parent

START_S = 180.0


@contextmanager
def embedded_model(command: list[str] | None = None) -> Iterator[str]:
    """The base URL of a newly started endpoint, which stops with the block or if the run is killed. Raises LLMError."""
    command = command or [str(Path(sys.executable).with_name("agentd")), "models", "serve", "--listen", "127.0.0.1:0"]
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent
        )
    except OSError as error:
        raise LLMError(f"no model: {command[0]} can't be started ({error.strerror}); give --model-url") from error
    try:
        yield _address(process) + "/v1"
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=5)


def _address(process: subprocess.Popen[bytes]) -> str:
    """The address in the process's `ready http://…` line. Raises LLMError if none comes within START_S."""
    assert process.stdout is not None
    end = time.monotonic() + START_S
    held = b""
    while not (found := re.search(rb"ready (http://\S+)\s", held)):
        ready, _, _ = select.select([process.stdout], [], [], max(end - time.monotonic(), 0))
        piece = os.read(process.stdout.fileno(), 4096) if ready else b""
        if not piece:
            raise LLMError(
                "no model: `agentd models serve` did not come up; run `agentd models pull`, or give --model-url"
            )
        held += piece
    return found.group(1).decode().rstrip("/")
