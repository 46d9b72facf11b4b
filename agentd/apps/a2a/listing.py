"""Maps A2A's ListTasks to the params of Agent.list, and its runs to a page. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from a2a.types import ListTasksRequest, TaskState
from a2a.utils.errors import InvalidParamsError

from agentd.apps.a2a.tasks import STATES

PAGE, LARGEST = 50, 100
"""Tasks per page: the protocol's default and maximum."""
MOST = 500
"""Maximum number of runs that are searched, newest first."""
_STATUSES = {state: status for status, state in STATES.items()}


class Page(NamedTuple):
    """One page: its runs, the next page's token (empty on the last) and the total number of runs."""

    runs: Sequence[Mapping[str, Any]]
    following: str
    total: int


def asked(params: ListTasksRequest) -> dict[str, Any] | None:
    """The params of Agent.list; None if no run can match. Raises InvalidParamsError."""
    if params.HasField("page_size") and not 1 <= params.page_size <= LARGEST:
        raise InvalidParamsError(f"pageSize is from 1 to {LARGEST}")
    if params.HasField("history_length") and params.history_length < 0:
        raise InvalidParamsError("historyLength is 0 or more")
    if params.page_token and not (params.page_token.isascii() and params.page_token.isdecimal()):
        raise InvalidParamsError("pageToken is not one that a list gave")
    wanted: dict[str, Any] = {"limit": MOST}
    if params.context_id:
        wanted["session_id"] = params.context_id
    if params.status != TaskState.TASK_STATE_UNSPECIFIED:
        if params.status not in _STATUSES:
            return None
        wanted["status"] = _STATUSES[params.status]
    return wanted


def page(params: ListTasksRequest, runs: Sequence[Mapping[str, Any]]) -> Page:
    """The page of these runs (from Agent.list), latest change first."""
    found = sorted(runs, key=changed_at, reverse=True)
    if params.HasField("status_timestamp_after"):
        since = params.status_timestamp_after.ToDatetime(UTC)
        found = [run for run in found if changed_at(run) >= since]
    start, size = int(params.page_token or 0), size_of(params)
    end = start + size
    return Page(found[start:end], str(end) if end < len(found) else "", len(found))


def size_of(params: ListTasksRequest) -> int:
    """The number of tasks per page."""
    return int(params.page_size) if params.HasField("page_size") else PAGE


def changed_at(run: Mapping[str, Any]) -> datetime:
    """When a run of Agent.list reached its state: its end or, before that, its start."""
    return datetime.fromisoformat(str(run["finished_at"] or run["created_at"]))
