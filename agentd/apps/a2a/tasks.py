"""Converts runs to A2A tasks. Pure. A session is a context; an approval by the caller is `input-required`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from a2a.helpers.proto_helpers import new_data_part, new_message, new_text_part, new_url_part
from a2a.types import Artifact, Message, Part, Role, Task, TaskState, TaskStatus

STATES: Mapping[str, TaskState] = {
    "queued": TaskState.TASK_STATE_SUBMITTED,
    "running": TaskState.TASK_STATE_WORKING,
    "needs_approval": TaskState.TASK_STATE_INPUT_REQUIRED,
    "completed": TaskState.TASK_STATE_COMPLETED,
    "cancelled": TaskState.TASK_STATE_CANCELED,
    "failed": TaskState.TASK_STATE_FAILED,
}
RESTS = frozenset({"needs_approval", "completed", "cancelled", "failed"})
SESSION_KEY = "agentd/session_key"
"""Key in a task's metadata: its value is what a visitor then sends as the header Agentd-Session-Key."""


def task_of(run: Mapping[str, Any], base: str) -> Task:
    """The task of a run's wire form (Agent.run, Agent.get); `base` is the daemon's base URL."""
    task = Task(
        id=run["run_id"], context_id=run["session_id"], status=status_of(run), artifacts=artifacts_of(run, base)
    )
    if key := run.get("session_key"):
        task.metadata.update({SESSION_KEY: key})
    return task


def history_of(turn: Mapping[str, Any], session_id: str, longest: int) -> list[Message]:
    """A task's newest messages, at most `longest`: the prompt and the response of its turn (Session.get)."""
    said = [(Role.ROLE_USER, turn["prompt"]), (Role.ROLE_AGENT, turn["response"])]
    messages = [
        Message(
            message_id=f"{turn['run_id']}-{number}",
            role=role,
            parts=[new_text_part(text, media_type="text/plain")],
            context_id=session_id,
            task_id=turn["run_id"],
        )
        for number, (role, text) in enumerate(said)
        if text
    ]
    return messages[max(0, len(messages) - longest) :]


def status_of(run: Mapping[str, Any]) -> TaskStatus:
    """The run's state and message. A run that waits for an officer is `working`: its caller has nothing to do."""
    state = STATES[run["status"]]
    approval = run.get("approval") or {}
    if run["status"] == "needs_approval" and approval.get("rule") == "staff":
        state = TaskState.TASK_STATE_WORKING
    parts = _said(run)
    if state == TaskState.TASK_STATE_INPUT_REQUIRED:
        parts.append(new_data_part(approval))
    message = new_message(parts, context_id=run["session_id"], task_id=run["run_id"]) if parts else None
    return TaskStatus(state=state, message=message)


def artifacts_of(run: Mapping[str, Any], base: str) -> list[Artifact]:
    """The answer and files of a completed run; files are fetched with the same token (and session key)."""
    if run["status"] != "completed":
        return []
    answer = [Artifact(artifact_id="response", name="response", parts=_said(run))] if run.get("response") else []
    files = [
        Artifact(
            artifact_id=one["name"],
            name=one["name"],
            parts=[new_url_part(base + one["uri"], media_type=one["media_type"], filename=one["name"])],
        )
        for one in run.get("artifacts", ())
    ]
    return [*answer, *files]


def _said(run: Mapping[str, Any]) -> list[Part]:
    error = run.get("error")
    text = error["data"]["user_message"] if error else run.get("response")
    return [new_text_part(str(text), media_type="text/plain")] if text else []
