"""Three daemons on one PostgreSQL, each killed with -9 in turn under load and restarted. count.py counts."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lab.drill.count import OFFICE, TURNS, Found, filled
from tests.daemon import SERVERS, Daemon
from tests.e2e.test_main_job import WORDS
from tests.postgresql import postgresql

RUNS = 90
LEASE_S, REST_S = 3.0, 4.0
AHEAD_S = 120.0
PACE_S = 0.5
"""Seconds between the last submitted run and the kill: some runs have ended by then, most are in progress."""
CONFIG = f"""{OFFICE}
{SERVERS["certificate"]}archive_dir = "@LETTERS@"
office_dir = "@LETTERS@/office"

[store]
url = "@URL@"
letters_url = "@URL@"
node = "@NODE@"
lease_s = {LEASE_S}

[agent]
max_recoveries = 1000000
"""


def three_nodes(folder: Path) -> Found:
    """Kill each of three nodes in turn and return the counts. Creates `folder`."""
    ids = [f"node-run-{number:04}" for number in range(RUNS)]
    with _started(folder, 3, ids) as (nodes, found):
        share = RUNS // len(nodes)
        for number, dying in enumerate(nodes):
            for at, run_id in enumerate(ids[number * share : (number + 1) * share]):
                nodes[at % 3].call("Agent.start", prompt=WORDS, run_id=run_id, session_id=f"of-{run_id}")
            time.sleep(PACE_S)
            dying.kill(signal.SIGKILL)
            found.random_kills += 1
            time.sleep(REST_S)
            dying.start()
    return found


def two_clocks(folder: Path) -> Found:
    """Run two nodes, one with its clock far ahead; none is killed. Creates `folder`."""
    ids = [f"clock-run-{number:04}" for number in range(RUNS // 2)]
    ahead = (datetime.now(UTC) + timedelta(seconds=AHEAD_S)).isoformat() + "+"
    with _started(folder, 2, ids, AGENTD_CLOCK=ahead) as (nodes, found):
        for at, run_id in enumerate(ids):
            nodes[at % 2].call("Agent.start", prompt=WORDS, run_id=run_id, session_id=f"of-{run_id}")
            time.sleep(PACE_S / 5)  # so that several leases expire during the runs
    return found


@contextmanager
def _started(folder: Path, many: int, ids: list[str], **last: str) -> Iterator[tuple[list[Daemon], Found]]:
    """Nodes, the last with `last` in its environment, and what is found of these runs when the block has ended."""
    folder.mkdir()
    notes = folder / "notes"
    notes.touch()
    found, began = Found(len(ids)), time.monotonic()
    with postgresql() as url, ExitStack() as ending:
        nodes = [_node(folder, number, url) for number in range(many)]
        nodes[-1].env.update(last)
        for node in nodes:
            node.start()
            ending.callback(node.kill, signal.SIGTERM)
        yield nodes, found
        found.judge(ids, nodes[0], notes, folder / "letters")
    found.seconds = time.monotonic() - began


def _node(folder: Path, number: int, url: str) -> Daemon:
    """A node with its own state; queue, register and letter archive are shared."""
    name = f"node{number}"
    config = filled(CONFIG, URL=url, NODE=name, NOTES=folder / "notes", LETTERS=folder / "letters")
    return Daemon(folder / name, TURNS, config)
