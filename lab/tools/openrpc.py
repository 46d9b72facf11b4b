"""Renders docs/openrpc.json: the answer to `rpc.discover` of a daemon with every installed app. It calls nothing."""

from __future__ import annotations

import json
from pathlib import Path

from agentd.plugins import apps
from agentd.rpc.methods import table
from agentd.rpc.openrpc import document

TARGET = Path(__file__).parents[2] / "docs" / "openrpc.json"


def render() -> str:
    """The document, as JSON."""
    methods = table(method for app in apps() for method in app.methods)
    return json.dumps(document(methods), ensure_ascii=False, indent=2, default=list) + "\n"
