"""A policy: official calls wait for a human's yes to exactly their arguments."""

from __future__ import annotations

from typing import Any

from agentd.messages import ApprovalRule


class ApprovalNeeded(Exception):
    """The call waits for a human."""

    def __init__(self, tool: str, arguments: dict[str, Any], summary: str, rule: ApprovalRule) -> None:
        self.tool = tool
        self.arguments = arguments
        self.summary = summary
        self.rule = rule
        super().__init__(tool)


_ASSENTS = frozenset({"ya", "iya", "benar", "ya benar", "betul", "setuju", "yes", "correct"})


def assents(text: str) -> bool:
    """True when the whole message is a plain yes."""
    return " ".join(text.casefold().replace(",", " ").strip(" .!").split()) in _ASSENTS


def refuses(text: str) -> bool:
    """True when the whole message is a plain no."""
    return " ".join(text.casefold().replace(",", " ").strip(" .!").split()) in {"tidak", "batal", "no"}
