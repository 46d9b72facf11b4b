"""A2A's methods on durable runs: send, stream, get, list, subscribe, cancel. Push configurations are refused.

Each message is a run whose id derives from the message's own, so a repeated message yields the same task. A message to
a task that waits for a yes decides it: a plain yes or no, or a data part {"approval_id", "approved"}.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn, cast

import structlog
from a2a.helpers.proto_helpers import get_data_parts, get_message_text
from a2a.server.context import ServerCallContext
from a2a.server.events.event_queue import Event
from a2a.server.request_handlers.request_handler import RequestHandler
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    ListTasksResponse,
    Message,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)
from a2a.utils.errors import (
    A2AError,
    ContentTypeNotSupportedError,
    ExtendedAgentCardNotConfiguredError,
    InternalError,
    InvalidParamsError,
    PushNotificationNotSupportedError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from a2a.utils.task import HistoryLengthConfig, validate_history_length

from agentd.agent.approval import assents, refuses
from agentd.application import MethodCall
from agentd.apps.a2a.listing import asked, changed_at, page, size_of
from agentd.apps.a2a.tasks import RESTS, artifacts_of, history_of, status_of, task_of
from agentd.errors import AgentdError, AgentError, Conflict, InvalidParams, NotFound, ToolError
from agentd.messages import Caller
from agentd.runs.agent_api import AgentRuns

log = structlog.get_logger("agentd.a2a")
CALLER, BASE = "agentd.caller", "agentd.base"
"""Keys of a call's context: the caller, and the daemon's base URL as the caller reached it."""
Run = Mapping[str, Any]
NO_HISTORY = SendMessageConfiguration()


class Handler(RequestHandler):
    """The methods that the SDK's dispatcher calls."""

    def __init__(self, call: MethodCall, runs: AgentRuns) -> None:
        self._call = call
        self._runs = runs

    async def on_message_send(self, params: SendMessageRequest, context: ServerCallContext) -> Task | Message:
        """Run until the task ends or needs the caller; with `return_immediately`, only start it."""
        with _as_a2a():
            run = await self._taken_on(params, context, follow=not params.configuration.return_immediately)
            return await self._task(run, params.configuration, context)

    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event]:
        """The task at once, then its events."""
        with _as_a2a():
            run = await self._taken_on(params, context, follow=False)
            async for event in self._followed(run, context, params.configuration):
                yield event

    async def on_get_task(self, params: GetTaskRequest, context: ServerCallContext) -> Task | None:
        """The task in its present state."""
        with _as_a2a():
            validate_history_length(params)
            return await self._task(await self._run(params.id, context), params, context)

    async def on_cancel_task(self, params: CancelTaskRequest, context: ServerCallContext) -> Task | None:
        """Cancel the task. Raises TaskNotCancelableError if it has ended."""
        with _as_a2a():
            try:
                await self._call("Agent.cancel", {"run_id": params.id}, context.state[CALLER])
            except Conflict:
                raise TaskNotCancelableError from None
            return task_of(await self._run(params.id, context), context.state[BASE])

    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event]:
        """The task, then its events. Raises UnsupportedOperationError if it has no more."""
        with _as_a2a():
            run = await self._run(params.id, context)
            if run["status"] in RESTS:
                raise UnsupportedOperationError("the task rests: get it")
            async for event in self._followed(run, context):
                yield event

    async def on_list_tasks(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        """The caller's tasks, paged; none for visitors, because they share a token."""
        with _as_a2a():
            wanted = asked(params)
            found = {"runs": []} if wanted is None else await self._call("Agent.list", wanted, context.state[CALLER])
            shown, size = page(params, found["runs"]), size_of(params)
            tasks = [await self._listed(run, params, context) for run in shown.runs]
            return ListTasksResponse(
                tasks=tasks, next_page_token=shown.following, page_size=size, total_size=shown.total
            )

    async def _listed(self, run: Run, params: ListTasksRequest, context: ServerCallContext) -> Task:
        task = await self._task(await self._run(run["run_id"], context), params, context)
        task.status.timestamp.FromDatetime(changed_at(run))
        if not params.include_artifacts:
            del task.artifacts[:]
        return task

    async def on_create_task_push_notification_config(self, *_: Any) -> NoReturn:
        """Refused: the daemon calls no address that a caller names."""
        raise PushNotificationNotSupportedError

    async def on_get_task_push_notification_config(self, *_: Any) -> NoReturn:
        raise PushNotificationNotSupportedError

    async def on_list_task_push_notification_configs(self, *_: Any) -> NoReturn:
        raise PushNotificationNotSupportedError

    async def on_delete_task_push_notification_config(self, *_: Any) -> NoReturn:
        raise PushNotificationNotSupportedError

    async def on_get_extended_agent_card(self, *_: Any) -> NoReturn:
        """Raise: there is no extended card."""
        raise ExtendedAgentCardNotConfiguredError

    async def _taken_on(self, params: SendMessageRequest, context: ServerCallContext, *, follow: bool) -> Run:
        """Start, or with `follow` run, the run that answers a message, or decide the waiting one."""
        validate_history_length(params.configuration)
        if params.configuration.HasField("task_push_notification_config"):
            raise PushNotificationNotSupportedError
        message, caller = params.message, context.state[CALLER]
        session_id = message.context_id or None
        if message.task_id:
            waiting = await self._run(message.task_id, context)
            decision = _decision(message, waiting["approval"])
            if decision is None and waiting["status"] in ("completed", "cancelled", "failed"):
                raise UnsupportedOperationError("the task has ended; send without taskId, with its contextId")
            if session_id not in (None, waiting["session_id"]):
                raise InvalidParamsError("the task is of another context")
            session_id = waiting["session_id"]
            if decision is not None:  # a repeated decision gets the same answer
                return await self._answered("Agent.approve", {"run_id": message.task_id, **decision}, context)
        asked: dict[str, Any] = {"prompt": _text(message)}
        if session_id is not None:
            asked["session_id"] = session_id
        if not caller.is_visitor or caller.session_key is not None:
            asked["run_id"] = _run_id(caller, message)
        return await self._answered("Agent.run" if follow else "Agent.start", asked, context)

    async def _answered(self, method: str, params: dict[str, Any], context: ServerCallContext) -> Run:
        """Call the method and return the run's wire form, also if the run failed."""
        try:
            outcome = await self._call(method, params, context.state[CALLER])
        except (AgentError, ToolError) as error:
            if "run_id" not in error.data:
                raise
            caller: Caller = context.state[CALLER].with_key(error.data.get("session_key"))
            found = await self._call("Agent.get", {"run_id": error.data["run_id"]}, caller)
            return {**found, "session_key": error.data.get("session_key")}
        return cast(Run, outcome.model_dump(mode="json"))

    async def _task(self, run: Run, wanted: HistoryLengthConfig, context: ServerCallContext) -> Task:
        """The run as a task, with as much history as was asked for."""
        task = task_of(run, context.state[BASE])
        if wanted.history_length:
            caller: Caller = context.state[CALLER].with_key(run.get("session_key"))
            session = await self._call("Session.get", {"session_id": run["session_id"]}, caller)
            turns = [turn for turn in session["history"] if turn["run_id"] == run["run_id"]]
            task.history.extend(
                one for turn in turns for one in history_of(turn, task.context_id, wanted.history_length)
            )
        return task

    async def _run(self, run_id: str, context: ServerCallContext) -> Run:
        return cast(Run, await self._call("Agent.get", {"run_id": run_id}, context.state[CALLER]))

    async def _followed(
        self, run: Run, context: ServerCallContext, wanted: HistoryLengthConfig = NO_HISTORY
    ) -> AsyncIterator[Event]:
        yield await self._task(run, wanted, context)
        if run["status"] in RESTS:
            return
        caller: Caller = context.state[CALLER].with_key(run.get("session_key"))
        ids = {"task_id": run["run_id"], "context_id": run["session_id"]}
        async for event in self._runs.events(run["run_id"], caller):
            if event.type == "tool.started":
                working = TaskStatusUpdateEvent(**ids, status=TaskStatus(state=TaskState.TASK_STATE_WORKING))
                working.metadata.update({"tool": str(event.data.get("tool"))})
                yield working
        ended = await self._call("Agent.get", {"run_id": run["run_id"]}, caller)
        for artifact in artifacts_of(ended, context.state[BASE]):
            yield TaskArtifactUpdateEvent(**ids, artifact=artifact, last_chunk=True)
        yield TaskStatusUpdateEvent(**ids, status=status_of(ended))


def _text(message: Message) -> str:
    """The message's text. Raises InvalidParamsError if it isn't the user's or has no id,
    ContentTypeNotSupportedError for anything but text."""
    if message.role != Role.ROLE_USER or not message.message_id:
        raise InvalidParamsError(
            "a message needs the role of the user, and a messageId: sent again by it, it is one task"
        )
    if any(part.WhichOneof("content") != "text" for part in message.parts):
        raise ContentTypeNotSupportedError("only text is read, and a decision as a data part with a taskId")
    return get_message_text(message)


def _decision(message: Message, waits: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The decision in a message on the approval that its task waits for, or None."""
    said = get_message_text(message)
    if waits is not None and waits.get("rule") is None and (assents(said) or refuses(said)):
        return {"approval_id": waits["approval_id"], "approved": assents(said)}
    match get_data_parts(message.parts):
        case [{"approval_id": str(approval_id), "approved": bool(approved)}] if len(message.parts) == 1:
            return {"approval_id": approval_id, "approved": approved}
    return None


def _run_id(caller: Caller, message: Message) -> str:
    parts = (caller.id, caller.session_key or "", message.context_id, message.message_id, get_message_text(message))
    return "a2a-" + hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:40]


@contextmanager
def _as_a2a() -> Iterator[None]:
    """Translate the daemon's errors to A2A's; other exceptions are logged and not disclosed."""
    try:
        yield
    except A2AError:
        raise
    except NotFound:
        raise TaskNotFoundError from None
    except (InvalidParams, Conflict) as error:
        raise InvalidParamsError(error.message) from None
    except AgentdError as error:
        wait = {name: value for name, value in error.data.items() if name == "retry_after_s"}
        raise InternalError(error.message, {"type": error.type, **wait}) from None
    except Exception as error:
        log.error("a2a.failed", exc_info=error)
        raise InternalError("Internal error") from None
