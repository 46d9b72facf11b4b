"""Agents that ask this one by A2A, through the official SDK's client, both versions of the protocol."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.client.card_resolver import A2ACardResolver
from a2a.helpers.proto_helpers import get_data_parts, get_stream_response_text, new_data_part, new_text_part
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    Task,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import (
    A2AError,
    ContentTypeNotSupportedError,
    InvalidParamsError,
    PushNotificationNotSupportedError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)

from agentd.access import TokenStore
from tests.daemon import HEAD, SERVERS, TOKEN, Daemon, final, one_daemon, running
from tests.e2e.test_main_job import LETTER, WORDS
from tests.waiting import until

office = one_daemon(
    final("Selamat pagi!"), LETTER, final("Surat Anda selesai."), config=HEAD + SERVERS["time"] + SERVERS["certificate"]
)


@asynccontextmanager
async def agent(
    daemon: Daemon, version: str = "1.0", *, streaming: bool = False, **headers: str
) -> AsyncIterator[Client]:
    """The SDK's client, by the card as that version reads it."""
    whole = {"Authorization": f"Bearer {TOKEN}", **headers}
    async with httpx.AsyncClient(headers=whole, timeout=300) as wire:
        card = await A2ACardResolver(wire, daemon.url).get_agent_card()
        chosen = [one for one in card.supported_interfaces if one.protocol_version == version]
        del card.supported_interfaces[:]
        card.supported_interfaces.extend(chosen)
        yield ClientFactory(ClientConfig(httpx_client=wire, streaming=streaming)).create(card)


def message(*parts: Part | str, role: Role = Role.ROLE_USER, **ids: str) -> SendMessageRequest:
    made = [new_text_part(part) if isinstance(part, str) else part for part in parts]
    return SendMessageRequest(message=Message(role=role, parts=made, **{"message_id": uuid.uuid4().hex, **ids}))


async def told(client: Client, request: SendMessageRequest) -> list[StreamResponse]:
    return [event async for event in client.send_message(request)]


async def asked(client: Client, request: SendMessageRequest) -> Task:
    [answer] = await told(client, request)
    return answer.task


def text_of(task: Task) -> str:
    return get_stream_response_text(StreamResponse(task=task))


@pytest.mark.parametrize("version", ["1.0", "0.3"])
async def test_from_hello_to_the_letter_with_an_approval_between(office: Daemon, version: str) -> None:
    async with agent(office, version) as client:
        hello = await asked(client, message("Halo"))
        assert (hello.status.state, text_of(hello)) == (TaskState.TASK_STATE_COMPLETED, "Selamat pagi!")

        waiting = await asked(client, message(WORDS, context_id=hello.context_id))
        assert waiting.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
        [approval] = get_data_parts(waiting.status.message.parts)
        assert approval["arguments"]["nama"] == "Budi Santoso"
        other = {"tool_hint": LETTER["tool"], "tool_arguments": {**LETTER["input"], "keperluan": "Membuka rekening"}}
        office.call("Agent.run", prompt="Satu lagi", session_id=waiting.context_id, options=other)  # a newer one waits
        decided = new_data_part({"approval_id": approval["approval_id"], "approved": True})
        yes = message(decided, task_id=waiting.id) if version == "1.0" else message("ya", task_id=waiting.id)
        issued = await asked(client, yes)
        assert (issued.id, issued.status.state) == (waiting.id, TaskState.TASK_STATE_COMPLETED)
        assert issued.artifacts[0].name == "response"
        file = issued.artifacts[-1].parts[0]
        assert (file.media_type, file.url.startswith(office.url)) == ("application/pdf", True)
        with office.request(file.url.removeprefix(office.url)) as response:
            assert response.read().startswith(b"%PDF-")
        assert (await client.get_task(GetTaskRequest(id=issued.id))).status.state == TaskState.TASK_STATE_COMPLETED
        with pytest.raises(TaskNotCancelableError):
            await client.cancel_task(CancelTaskRequest(id=issued.id))
        assert (await asked(client, message(decided, task_id=issued.id))).artifacts == issued.artifacts  # a lost answer
        with pytest.raises(UnsupportedOperationError):
            await asked(client, message("lagi", task_id=issued.id))


@pytest.mark.parametrize("version", ["1.0", "0.3"])
async def test_a_stream_begins_with_the_task_and_ends_with_its_state(office: Daemon, version: str) -> None:
    async with agent(office, version, streaming=True) as client:
        hello = await told(client, message("Halo"))
        assert hello[0].WhichOneof("payload") == "task"
        whole = hello[0].task if len(hello) == 1 else None  # it had ended before it was followed
        assert (whole or hello[-1].status_update).status.state == TaskState.TASK_STATE_COMPLETED
        followed = [one.artifact_update.artifact for one in hello if one.HasField("artifact_update")]
        [answer] = whole.artifacts if whole else followed
        assert answer.parts[0].text == "Selamat pagi!"
        waiting = await told(client, message(WORDS, context_id=hello[0].task.context_id))
        assert waiting[-1].status_update.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
        stopped = await client.cancel_task(CancelTaskRequest(id=waiting[0].task.id))
        assert stopped.status.state == TaskState.TASK_STATE_CANCELED
        with pytest.raises(UnsupportedOperationError if version == "1.0" else A2AError):
            async for _ in client.subscribe(SubscribeToTaskRequest(id=stopped.id)):
                pass


async def test_a_message_sent_again_is_the_same_task(office: Daemon) -> None:
    async with agent(office) as client:
        request = message("Halo", message_id="satu", context_id=uuid.uuid4().hex)
        first = (await asked(client, request)).id
        assert (await asked(client, request)).id == first
        request.message.parts[0].text = "Halo lagi"
        assert (await asked(client, request)).id != first, "another message under a used id is no repetition"


async def test_a_task_that_is_only_taken_on_is_fetched_later(office: Daemon) -> None:
    async with agent(office) as client:
        request = message("Halo")
        request.configuration.CopyFrom(SendMessageConfiguration(return_immediately=True))
        begun = await asked(client, request)
        office.call("Agent.run", prompt="Halo", session_id=begun.context_id)  # a session's runs go one by one
        assert (await client.get_task(GetTaskRequest(id=begun.id))).status.state == TaskState.TASK_STATE_COMPLETED


async def test_what_is_not_offered_is_refused_by_its_name(office: Daemon) -> None:
    async with agent(office) as client:
        push = TaskPushNotificationConfig(url="http://127.0.0.1:1/")
        request = message("Halo")
        request.configuration.CopyFrom(SendMessageConfiguration(task_push_notification_config=push))
        with pytest.raises(PushNotificationNotSupportedError):
            await asked(client, request)
        with pytest.raises(ContentTypeNotSupportedError):
            await asked(client, message(Part(raw=b"%PDF-", media_type="application/pdf")))
        with pytest.raises(TaskNotFoundError):
            await client.get_task(GetTaskRequest(id="unknown"))
        for unfit in (message("Halo", message_id=""), message("Halo", role=Role.ROLE_AGENT)):
            with pytest.raises(InvalidParamsError):
                await asked(client, unfit)
        for wrong in ({"page_size": 0}, {"page_size": 101}, {"page_token": "next"}, {"history_length": -1}):
            with pytest.raises(InvalidParamsError):
                await client.list_tasks(ListTasksRequest(**wrong))
    assert "a2a.server" not in (office.folder / "stderr.log").read_text(), "a caller's mistakes are no warnings"


@pytest.mark.parametrize("method", ["SendMessage", "SendStreamingMessage"])
def test_a_call_without_the_version_is_told_which_header_it_lacks(office: Daemon, method: str) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}
    answered = httpx.post(f"{office.url}/a2a", json=asked, headers={"Authorization": f"Bearer {TOKEN}"}).json()
    assert answered["error"]["code"] == -32009
    assert "no-header-A2A-Version" in answered["error"]["message"] and "'1.0'" in answered["error"]["message"]


UNREAD = {
    "message/send": ({"message": {"role": "ANI-1", "parts": [], "messageId": "m"}}, "params.message.role is wrong"),
    "SendMessage": ({"message": {"role": "ROLE_USER", "parts": "ANI-1"}}, "params.message.parts is wrong"),
    "ListTasks": ({"status": "ANI-1"}, "params.status is wrong"),
    "GetTask": ("ANI-1", "params should be an object"),
}


@pytest.mark.parametrize("method", UNREAD)
def test_what_is_wrong_is_said_by_its_place_and_never_by_its_value(office: Daemon, method: str) -> None:
    params, says = UNREAD[method]
    body = json.dumps({"jsonrpc": "2.0", "id": "n", "method": method, "params": params}).encode()
    with office.request("/a2a/", body, **{"A2A-Version": "1.0" if method[0].isupper() else "0.3"}) as response:
        text = response.read().decode()
    assert '"id": "n"' in text and "-32602" in text and says in text
    assert "ANI-1" not in text and "pydantic" not in text


async def test_a_callers_tasks_are_listed_by_pages_and_a_visitors_never(office: Daemon) -> None:
    async with agent(office) as client:
        first = await asked(client, message("Halo"))
        second = await asked(client, message("Halo", context_id=first.context_id))
        mine = ListTasksRequest(context_id=first.context_id, page_size=1)
        newest = await client.list_tasks(mine)
        assert [task.id for task in newest.tasks] == [second.id]
        assert (newest.page_size, newest.total_size, list(newest.tasks[0].artifacts)) == (1, 2, [])
        mine.page_token, mine.include_artifacts = newest.next_page_token, True
        oldest = await client.list_tasks(mine)
        assert [task.id for task in oldest.tasks] == [first.id]
        assert oldest.tasks[0].artifacts and not oldest.next_page_token
        done = TaskState.TASK_STATE_COMPLETED
        since = ListTasksRequest(status=done, context_id=first.context_id)
        since.status_timestamp_after.CopyFrom(newest.tasks[0].status.timestamp)
        assert [task.id for task in (await client.list_tasks(since)).tasks] == [second.id]
        none = ListTasksRequest(status=TaskState.TASK_STATE_REJECTED)
        assert not (await client.list_tasks(none)).tasks
    tokens = TokenStore(office.state / "access.json")
    visitor = f"Bearer {tokens.add('lobby', frozenset({'kiosk'}), now=datetime.now(UTC))}"
    async with agent(office, Authorization=visitor) as client:
        await asked(client, message("Halo"))
        assert not (await client.list_tasks(ListTasksRequest())).tasks, "it would show others at the same kiosk"


async def test_what_was_said_in_a_task_comes_as_far_as_it_is_asked_for(office: Daemon) -> None:
    async with agent(office) as client:
        request = message("Halo")
        request.configuration.history_length = 9
        sent = await asked(client, request)
        both = [(Role.ROLE_USER, "Halo"), (Role.ROLE_AGENT, "Selamat pagi!")]
        assert [(one.role, one.parts[0].text) for one in sent.history] == both
        for length, said in ((1, both[1:]), (2, both), (0, [])):
            task = await client.get_task(GetTaskRequest(id=sent.id, history_length=length))
            assert [(one.role, one.parts[0].text) for one in task.history] == said
        listed = ListTasksRequest(context_id=sent.context_id, history_length=1)
        [task] = (await client.list_tasks(listed)).tasks
        assert task.history[0].message_id == sent.history[1].message_id
        assert not (await client.get_task(GetTaskRequest(id=sent.id))).history
        request.configuration.history_length = -1
        with pytest.raises(InvalidParamsError):
            await asked(client, request)


async def test_who_waits_or_reads_is_sent_away_when_their_rights_end(tmp_path: Path) -> None:
    slow = {"text": json.dumps(final("Selesai")), "after_ms": 600_000}
    with running(tmp_path, slow, config=HEAD + SERVERS["time"]) as daemon:
        tokens = TokenStore(daemon.state / "access.json")
        part = {"kind": "text", "text": "Halo"}
        bearer = {"Authorization": f"Bearer {tokens.add('other', frozenset({'staff'}), now=datetime.now(UTC))}"}

        def body(method: str) -> dict[str, Any]:
            said = {"kind": "message", "role": "user", "messageId": method, "parts": [part]}
            return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": said}}

        async with (
            asyncio.timeout(300),
            httpx.AsyncClient(base_url=daemon.url, headers=bearer, timeout=300) as wire,
            wire.stream("POST", "/a2a", json=body("message/stream")) as stream,
        ):
            lines = stream.aiter_lines()
            task = json.loads((await anext(lines)).removeprefix("data: "))["result"]
            waits = asyncio.create_task(wire.post("/a2a", json=body("message/send")))
            await asyncio.to_thread(until, lambda: len(daemon.call("Agent.list")["runs"]) == 2, "the second task")
            tokens.revoke("other")
            assert (await waits).status_code == 401
            with pytest.raises(httpx.RemoteProtocolError):
                [line async for line in lines]
        assert daemon.call("Agent.get", run_id=task["id"])["status"] == "running", "it goes on without them"


def test_a_visitors_task_needs_the_key_that_it_was_given(office: Daemon) -> None:
    store = TokenStore(office.state / "access.json")
    token = store.add("page", frozenset({"chat"}), now=datetime.now(UTC))

    def call(method: str, params: dict[str, Any], **headers: str) -> dict[str, Any]:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        with office.request("/a2a", body, Authorization=f"Bearer {token}", **headers) as response:
            answer: dict[str, Any] = json.load(response)
        return answer

    part = {"kind": "text", "text": "Halo"}
    hello = {"message": {"kind": "message", "role": "user", "messageId": "1", "parts": [part]}}
    task = call("message/send", hello)["result"]
    assert task["status"]["state"] == "completed"
    assert call("tasks/get", {"id": task["id"]})["error"]["code"] == -32001
    key = {"Agentd-Session-Key": task["metadata"]["agentd/session_key"]}
    assert call("tasks/get", {"id": task["id"]}, **key)["result"]["id"] == task["id"]
    assert call("tasks/resubscribe", [])["error"]["code"] == -32602
    push = {"taskId": task["id"], "pushNotificationConfig": {"url": "http://127.0.0.1:1/"}}
    assert call("tasks/pushNotificationConfig/set", push)["error"]["code"] == -32003
    hello["message"]["parts"] = [part] * 3000
    with pytest.raises(urllib.error.HTTPError, match="413"):
        call("message/send", hello)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        office.request("/a2a", b"{}", Authorization="Bearer nobody")
    with office.request("/.well-known/agent-card.json", Authorization="") as response:
        card = json.load(response)
        assert (response.headers["Cache-Control"], len(response.headers["ETag"])) == ("max-age=60", 66)
    assert card["url"] == f"{office.url}/a2a"
    assert card["capabilities"]["streaming"] and not card["capabilities"].get("pushNotifications")
    assert "generate_surat_keterangan_domisili" in {skill["id"] for skill in card["skills"]}
