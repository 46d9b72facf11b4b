"""`agentd ask "…"`: asks one question and prints the answer. It continues a conversation only if one is named."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from agentd.cli import options
from clients.connected import with_client


def register(commands: Any) -> None:
    parser = options.command(commands, "ask", "ask one question and print the answer", run, listen=True)
    parser.add_argument("prompt", help="what to ask")
    parser.add_argument("--session", metavar="ID", help="the session to continue, or a name for a new one")
    parser.add_argument("--json", action="store_true", help="print the whole outcome as JSON")


def run(given: argparse.Namespace) -> int:
    """Return 0 with the answer. Raises Refused."""
    return with_client(options.settings(given), lambda client: _ask(client, given))


async def _ask(client: Any, given: argparse.Namespace) -> int:
    params = {"session_id": given.session} if given.session else {}
    outcome = await client.call("Agent.run", {"prompt": given.prompt, **params})
    print(json.dumps(outcome, ensure_ascii=False, indent=2) if given.json else outcome["response"])
    for artifact in outcome["artifacts"]:
        print(f"→ {artifact.get('path') or artifact['uri']}", file=sys.stderr)
    return 0
