"""Measures an agent's step in agentd and in the libraries that people use instead, and 200 runs of each at once.

Everybody has the same scripted model, which costs nothing, and calls the same tool of a `servers.time` of its own over
stdio: five calls, then the answer. Each is a process of its own (lab/bench/peers/) and they take turns; the median of
the rounds counts, and CPU is that of the process without its server. "Keeps" says what is left of a run after kill -9:
agentd and the two DBOS and SQLite variants write each step down before the next, the others keep everything in memory,
so that the first group is the one to compare a durable step with. 200 at once: each in a session or thread of its own,
the model takes 1 s before its first turn. The peers and the bare client run on the first MCP SDK and asyncio's own
loop, agentd on the second SDK and uvloop, as each comes.
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

from lab import peers_python

CALLS, RUNS, ROUNDS, CROWD = 5, 10, 5, 200
TERMS = {"steps": (CALLS, 0.0), "five calls": (CALLS, 1.0), "one turn": (0, 1.0)}
"""{what: (calls a run, seconds of the model's first turn)}."""
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
    """One row per contestant. A ratio is agentd's figure divided by the contestant's: above 1, agentd is slower."""
    with ExitStack() as all_:
        running = _all_running(all_)
        steps, spent = _steps(running), {what: _crowd(running, what) for what in ("five calls", "one turn")}
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
                "200_runs_one_turn_s": round(spent["one turn"][name]["s"], 2),
                "200_runs_five_calls_s": round(spent["five calls"][name]["s"], 2),
                "200_runs_five_calls_more_mb": round(spent["five calls"][name]["more_mb"], 1),
            }
        )
    return {"agents": rows, "versions": ", ".join(f"{name} {peers_python.version(name)}" for name in PACKAGES)}


Running = dict[tuple[str, str], "subprocess.Popen[str]"]
"""Keyed by contestant and terms. A peer has one process for all terms, agentd one per terms (its script is a file)."""


def _all_running(all_: ExitStack) -> Running:
    """Start all processes at once; return when each has its server and tools and has finished a first run."""
    interpreter, running = peers_python.python(), Running()
    for name, (program, _) in CONTESTANTS.items():
        command = [interpreter, str(peers_python.PROGRAMS / f"{program}.py")]
        one = None if name == AGENTD else all_.enter_context(_process(command))
        for what, (calls, turn_s) in TERMS.items():
            ours = [sys.executable, "-m", "lab.bench.agents", str(calls), str(turn_s)]
            running[name, what] = one or all_.enter_context(_process(ours))
    for process in dict.fromkeys(running.values()):
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise SystemExit(f"{process.args!s} did not start; what it said is above")
    for (_, what), process in running.items():
        _go(process, 1, 1, what)
    return running


def _steps(running: Running) -> dict[str, tuple[float, ...]]:
    """Milliseconds per step: wall clock and CPU."""
    rounds = [{name: _go(running[name, "steps"], RUNS, 1, "steps") for name in CONTESTANTS} for _ in range(ROUNDS)]
    each = 1000 / (RUNS * CALLS)
    return {
        name: tuple(statistics.median(round_[name][figure] for round_ in rounds) * each for figure in ("s", "cpu_s"))
        for name in CONTESTANTS
    }


def _crowd(running: Running, what: str) -> dict[str, dict[str, float]]:
    """Run 200 at once for each contestant, one contestant after the other."""
    return {name: _go(running[name, what], CROWD, CROWD, what) for name in CONTESTANTS}


@contextmanager
def _process(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Start a contestant; print the end of its stderr only when it failed."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "stderr").open("w+") as errors:
        process = subprocess.Popen(
            [*command, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "AGENTD_PYTHON": sys.executable},
            cwd=peers_python.ROOT,
        )
        try:
            yield process
        except SystemExit:
            if process.poll():
                print((Path(folder) / "stderr").read_text()[-1000:], file=sys.stderr)
            raise
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(120)


def _go(process: subprocess.Popen[str], runs: int, abreast: int, what: str) -> dict[str, float]:
    assert process.stdin is not None
    assert process.stdout is not None
    calls, turn_s = TERMS[what]
    process.stdin.write(f"{runs} {abreast} {calls} {turn_s}\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise SystemExit(f"{process.args!s} ended in its contest")
    return dict(json.loads(line))


async def _agentd() -> None:
    """Run agentd as a contestant: a daemon without HTTP, as in bench.steps, that takes its terms as the others do."""
    from agentd.access import LOCAL
    from agentd.messages import AgentOptions
    from lab.bench.peers.contest import ANSWER, INPUT, QUESTION, TOOL, obey
    from lab.bench.steps import daemon

    calls, turn_s = int(sys.argv[1]), float(sys.argv[2])
    turns = [json.dumps({"action": "call_tool", "tool": TOOL, "input": INPUT})] * calls
    turns.append(json.dumps({"action": "final", "response": ANSWER}))
    turns[0] = json.dumps({"text": turns[0], "after_ms": turn_s * 1000})
    async with daemon(*turns) as made:

        async def run_() -> str:
            outcome = await made.runs.run(QUESTION, AgentOptions(), LOCAL)
            return outcome.response if [step.success for step in outcome.steps] == [True] * calls else ""

        await obey(run_)


if __name__ == "__main__":
    import uvloop

    from agentd.observability import logging as logs

    logs.configure("error")
    uvloop.run(_agentd())
