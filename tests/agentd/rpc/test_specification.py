"""Every example of the JSON-RPC 2.0 specification (section 7), answered as it says; then what it leaves open."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from agentd.messages import Caller
from agentd.rpc.dispatch import Dispatcher
from agentd.rpc.method import ANYONE, Services, WireLimits, method
from agentd.rpc.params import Params
from tests.agentd.twins import ADMIN, KIOSK, services


class Subtraction(Params):
    minuend: int
    subtrahend: int


class Any3(Params):
    a: Any = None
    b: Any = None
    c: Any = None
    d: Any = None
    e: Any = None


class Nothing(Params):
    pass


notified: list[Any] = []


@method("subtract", result=int, scopes=ANYONE)
def subtract(services: Services, caller: Caller, params: Subtraction) -> int:
    """Subtract."""
    return params.minuend - params.subtrahend


@method("sum", result=int, scopes=ANYONE)
async def total(services: Services, caller: Caller, params: Any3) -> int:
    """Add three."""
    return params.a + params.b + params.c


@method("update", result=None, scopes=ANYONE)
def update(services: Services, caller: Caller, params: Any3) -> None:
    """A notification's method."""
    notified.append(params)


@method("get_data", result=list, scopes=ANYONE)
async def get_data(services: Services, caller: Caller, params: Nothing) -> list[Any]:
    """Answer a list."""
    return ["hello", 5]


def like(name: str) -> Any:
    return type(update)(name, update.act, Any3, None, update.scopes, "A notification's method.", ())


TABLE = (subtract, total, update, get_data, like("notify_hello"), like("notify_sum"))


def dispatcher(*more: Any, limits: WireLimits | None = None) -> Dispatcher:
    return Dispatcher((*TABLE, *more), services(limits=limits))


async def said(body: str | bytes, to: Dispatcher | None = None, caller: Caller = ADMIN) -> Any:
    reply = await (to or dispatcher()).handle(body, caller)
    return orjson.loads(reply.body) if reply.body else None


def _call(before: str, after: str, value: str) -> str:
    return before + value + after


def bare(response: Any) -> Any:
    """Without `error.data`, which the specification leaves to the server."""
    if isinstance(response, list):
        return [bare(one) for one in response]
    if response and "error" in response:
        return {**response, "error": {key: response["error"][key] for key in ("code", "message")}}
    return response


INVALID = {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": None}
PARSE = {"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": None}
EXAMPLES = {
    "positional parameters": (
        '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}',
        {"jsonrpc": "2.0", "result": 19, "id": 1},
    ),
    "positional parameters, other way round": (
        '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
        {"jsonrpc": "2.0", "result": -19, "id": 2},
    ),
    "named parameters": (
        '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
        {"jsonrpc": "2.0", "result": 19, "id": 3},
    ),
    "named parameters, other order": (
        '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
        {"jsonrpc": "2.0", "result": 19, "id": 4},
    ),
    "a notification": ('{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', None),
    "a notification of no such method": ('{"jsonrpc": "2.0", "method": "foobar"}', None),
    "no such method": (
        '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}',
        {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"},
    ),
    "invalid JSON": ('{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', PARSE),
    "an invalid request": ('{"jsonrpc": "2.0", "method": 1, "params": "bar"}', INVALID),
    "a batch of invalid JSON": (
        '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method"]',
        PARSE,
    ),
    "an empty array": ("[]", INVALID),
    "a batch of one wrong item": ("[1]", [INVALID]),
    "a batch of wrong items": ("[1,2,3]", [INVALID, INVALID, INVALID]),
    "a mixed batch": (
        """[
        {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
        {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
        {"foo": "boo"},
        {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
        {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
    ]""",
        [
            {"jsonrpc": "2.0", "result": 7, "id": "1"},
            {"jsonrpc": "2.0", "result": 19, "id": "2"},
            INVALID,
            {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "5"},
            {"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"},
        ],
    ),
    "a batch of notifications": (
        """[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]""",
        None,
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
async def test_an_example_of_the_specification_is_answered_as_it_says(name: str) -> None:
    request, response = EXAMPLES[name]
    assert bare(await said(request)) == response


async def test_a_notification_is_carried_out() -> None:
    notified.clear()
    await said('{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}')
    assert [one.e for one in notified] == [5]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
async def test_what_is_no_json_number_is_a_parse_error(number: str) -> None:
    answer = await said(_call('{"jsonrpc": "2.0", "method": "update", "params": [', '], "id": 1}', number))
    assert answer["error"]["code"] == -32700


@pytest.mark.parametrize("request_id", ['"a"', "7", "-1", "1.5", "null", '""', "0"])
async def test_an_id_is_echoed_as_it_came(request_id: str) -> None:
    answer = await said(_call('{"jsonrpc": "2.0", "method": "get_data", "id": ', "}", request_id))
    assert answer == {"jsonrpc": "2.0", "result": ["hello", 5], "id": orjson.loads(request_id)}


@pytest.mark.parametrize("request_id", ["true", "[1]", "{}", "123456789012345678901234567890"])
async def test_an_id_that_cannot_be_one_is_refused(request_id: str) -> None:
    answer = await said(_call('{"jsonrpc": "2.0", "method": "get_data", "id": ', "}", request_id))
    assert bare(answer) == INVALID


async def test_an_invalid_request_echoes_the_id_it_had() -> None:
    answer = await said('{"jsonrpc": "1.0", "method": "get_data", "id": 8}')
    assert (answer["error"]["code"], answer["id"]) == (-32600, 8)
    assert answer["error"]["data"]["reason"] == 'jsonrpc must be "2.0"'


async def test_members_beyond_the_specification_are_ignored() -> None:
    assert (await said('{"jsonrpc": "2.0", "method": "get_data", "id": 1, "trace": "x"}'))["result"] == ["hello", 5]


async def test_a_repeated_id_in_one_batch_is_refused_and_the_first_still_runs() -> None:
    call = {"jsonrpc": "2.0", "method": "get_data", "id": 1}
    first, second, other = await said(orjson.dumps([call, call, {**call, "id": "1"}]))
    assert first["result"] == other["result"] == ["hello", 5]
    assert (second["error"]["code"], second["id"]) == (-32600, 1)


async def test_a_batch_beyond_the_bound_is_refused_whole() -> None:
    notified.clear()
    call = {"jsonrpc": "2.0", "method": "update"}
    answer = await said(orjson.dumps([call] * 4), dispatcher(limits=WireLimits(max_batch=3)))
    assert answer["error"]["code"] == -32600
    assert "at most 3" in answer["error"]["data"]["reason"]
    assert not notified


async def test_the_calls_of_a_batch_run_side_by_side() -> None:
    met = asyncio.Barrier(3)

    @method("meet", result=bool, scopes=ANYONE)
    async def meet(services: Services, caller: Caller, params: Nothing) -> bool:
        """Wait for the others."""
        await met.wait()
        return True

    batch = [{"jsonrpc": "2.0", "method": "meet", "id": n} for n in range(3)]
    answers = await asyncio.wait_for(said(orjson.dumps(batch), dispatcher(meet)), 300)
    assert [(one["result"], one["id"]) for one in answers] == [(True, 0), (True, 1), (True, 2)]


async def test_what_a_method_raises_stays_in_the_daemon() -> None:
    @method("broken", result=bool, scopes=ANYONE)
    async def broken(services: Services, caller: Caller, params: Nothing) -> bool:
        """Break."""
        raise RuntimeError("postgresql://agent:geheim@db/agentd")

    reply = await dispatcher(broken).handle('{"jsonrpc": "2.0", "method": "broken", "id": 1}', ADMIN)
    error = orjson.loads(reply.body)["error"]
    assert (error["code"], error["message"], error["data"]["type"]) == (-32603, "Internal error", "internal")
    assert b"geheim" not in reply.body
    assert error["data"]["user_message"].startswith("Maaf")


async def test_a_result_without_json_form_spoils_only_its_own_call() -> None:
    @method("odd", result=Any, scopes=ANYONE)
    def odd(services: Services, caller: Caller, params: Nothing) -> Any:
        """Answer an object."""
        return object()

    batch = [{"jsonrpc": "2.0", "method": name, "id": name} for name in ("odd", "get_data")]
    first, second = await said(orjson.dumps(batch), dispatcher(odd))
    assert (first["error"]["code"], first["id"]) == (-32603, "odd")
    assert second["result"] == ["hello", 5]


async def test_something_cancelled_inside_a_method_is_an_error_not_a_lost_connection() -> None:
    @method("waits", result=bool, scopes=ANYONE)
    async def waits(services: Services, caller: Caller, params: Nothing) -> bool:
        """Wait for what somebody else cancels."""
        inner = asyncio.get_running_loop().create_future()
        inner.cancel()
        return await inner

    answer = await said('{"jsonrpc": "2.0", "method": "waits", "id": 1}', dispatcher(waits))
    assert answer["error"]["data"]["type"] == "cancelled"


@pytest.mark.parametrize("params", ["3", '"bar"', "null", "true"])
async def test_params_that_are_no_structure_are_an_invalid_request(params: str) -> None:
    answer = await said(_call('{"jsonrpc": "2.0", "method": "get_data", "params": ', ', "id": 1}', params))
    assert (answer["error"]["code"], answer["id"]) == (-32600, 1)


async def test_a_thousand_nested_arrays_are_refused_without_harm() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    assert (await said(deep))["error"]["code"] == -32700


async def test_too_many_values_by_position_name_what_is_taken() -> None:
    answer = await said('{"jsonrpc": "2.0", "method": "subtract", "params": [1, 2, 3], "id": 1}')
    assert answer["error"]["code"] == -32602
    assert "minuend, subtrahend" in answer["error"]["message"]


async def test_a_caller_without_the_scope_is_told_which_it_needs() -> None:
    @method("reload", result=bool, scopes=())
    def reload(services: Services, caller: Caller, params: Nothing) -> bool:
        """Admins only."""
        return True

    answer = await said('{"jsonrpc": "2.0", "method": "reload", "id": 1}', dispatcher(reload), KIOSK)
    assert answer["error"]["data"]["type"] == "forbidden"
    assert "admin" in answer["error"]["message"]


@pytest.mark.parametrize(("name", "meant"), [("Subtract", "did you mean subtract? "), ("foobar", "")])
async def test_an_unknown_method_is_answered_with_the_nearest(name: str, meant: str) -> None:
    body = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": name})
    reply = await Dispatcher([subtract], services()).handle(body, ADMIN)
    assert orjson.loads(reply.body)["error"]["data"]["reason"] == f"{meant}rpc.discover lists the methods"
