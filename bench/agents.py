"""What an agent's step costs in agentd and in the libraries that people use instead, and 200 runs of each at once.

Everybody has the same scripted model, which costs nothing, and calls the same tool of a `servers.time` of its own over
stdio: five calls, then the answer. Each is a process of its own (bench/peers/) and they take turns; the median of the
rounds counts, and CPU is that of the process without its server. "Keeps" says what is left of a run after kill -9:
agentd and the two DBOS and SQLite variants write each step down before the next, the others keep everything in memory,
so that the first group is the one to compare a durable step with. 200 at once: each in a session or thread of its own,
the model takes 1 s before its first turn.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench import _peers

CALLS, RUNS, ROUNDS, CROWD = 5, 10, 5, 200
AGENTD = "agentd"
CONTESTANTS = {
    AGENTD: ("agentd", "each step"),
    "pydantic-ai + DBOS": ("agent_pydantic_ai_dbos", "each step"),
    "langgraph + SQLite": ("agent_langgraph_sqlite", "each step"),
    "pydantic-ai": ("agent_pydantic_ai", "nothing"),
    "openai-agents": ("agent_openai_agents", "nothing"),
    "langgraph": ("agent_langgraph", "nothing"),
    "smolagents": ("agent_smolagents", "nothing"),
    "MCP client alone": ("agent_bare", "nothing"),
}
PACKAGES = ("pydantic-ai-slim", "dbos", "langgraph", "langchain", "openai-agents", "smolagents", "mcp")


def run() -> dict[str, Any]:
    """One row a contestant; ratios say how many times agentd's figure is of theirs, so that over 1 agentd is behind."""
    steps = _steps()
    once, calls = _crowd(0), _crowd(CALLS)
    rows = []
    for name, (_, keeps) in CONTESTANTS.items():
        (ms, cpu_ms), (our_ms, our_cpu_ms) = steps[name], steps[AGENTD]
        rows.append(
            {
                "agent": name,
                "keeps": keeps,
                "step_ms": round(ms, 2),
                "step_cpu_ms": round(cpu_ms, 2),
                "agentd_to_it": round(our_ms / ms, 2),
                "agentd_to_it_cpu": round(our_cpu_ms / cpu_ms, 2),
                "200_runs_one_turn_s": round(once[name]["s"], 2),
                "200_runs_five_calls_s": round(calls[name]["s"], 2),
                "200_runs_five_calls_more_mb": round(calls[name]["more_mb"], 1),
            }
        )
    return {"agents": rows, "versions": ", ".join(f"{name} {_peers.version(name)}" for name in PACKAGES)}


def _steps() -> dict[str, tuple[float, float]]:
    """Milliseconds a step, on the clock and of CPU."""
    with ExitStack() as all_:
        running = {name: all_.enter_context(_contestant(name, CALLS, 0)) for name in CONTESTANTS}
        for one in running.values():
            _go(one, RUNS, 1)
        rounds = [{name: _go(one, RUNS, 1) for name, one in running.items()} for _ in range(ROUNDS)]
    each = 1000 / (RUNS * CALLS)
    return {
        name: tuple(statistics.median(round_[name][figure] for round_ in rounds) * each for figure in ("s", "cpu_s"))
        for name in CONTESTANTS
    }


def _crowd(calls: int) -> dict[str, dict[str, float]]:
    """200 runs at once, one contestant after the other."""
    spent = {}
    for name in CONTESTANTS:
        with _contestant(name, calls, 1) as one:
            _go(one, 1, 1)
            spent[name] = _go(one, CROWD, CROWD)
    return spent


@contextmanager
def _contestant(name: str, calls: int, turn_s: float) -> Iterator[subprocess.Popen[str]]:
    """The process, once it has its server and its tools."""
    program, _ = CONTESTANTS[name]
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "stderr").open("w+") as errors:
        if name == AGENTD:
            command = [sys.executable, "-m", "bench.agents"]
        else:
            command = [_peers.python(), str(_peers.PROGRAMS / f"{program}.py")]
        process = subprocess.Popen(
            [*command, str(calls), str(turn_s), folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "AGENTD_PYTHON": sys.executable},
            cwd=_peers.ROOT,
        )
        try:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise SystemExit(f"{name} did not start: {(Path(folder) / 'stderr').read_text()[-1000:]}")
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(30)


def _go(process: subprocess.Popen[str], runs: int, abreast: int) -> dict[str, float]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{runs} {abreast}\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise SystemExit(f"{process.args!s} ended in its contest; run it by hand to see why")
    return dict(json.loads(line))


async def _agentd() -> None:
    """agentd's own contestant: a daemon without the wire, as in bench.steps, told the terms as the others are."""
    from agentd.access import LOCAL
    from agentd.messages import AgentOptions
    from bench.peers.contest import ANSWER, INPUT, QUESTION, TOOL, obey
    from bench.peers.contest import CALLS as calls
    from bench.peers.contest import TURN_S as turn_s
    from bench.steps import _daemon

    turns = [json.dumps({"action": "call_tool", "tool": TOOL, "input": INPUT})] * calls
    turns.append(json.dumps({"action": "final", "response": ANSWER}))
    turns[0] = json.dumps({"text": turns[0], "after_ms": turn_s * 1000})
    async with _daemon(*turns) as made:

        async def run_() -> str:
            outcome = await made.runs.run(QUESTION, AgentOptions(), LOCAL)
            return outcome.response if [step.success for step in outcome.steps] == [True] * calls else ""

        await obey(run_)


if __name__ == "__main__":
    import uvloop

    from agentd import telemetry

    telemetry.configure("error")
    uvloop.run(_agentd()) if len(sys.argv) > 1 else print(json.dumps(run(), indent=1))
