"""Each method of the OpenRPC document, called on a real daemon: results and errors are as the document promises.

Issue 9 "OpenRPC contract coverage": a method that no call of `CALLS` reaches fails the test.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.daemon import HEAD, SERVERS, TOKEN, Daemon, call, final, one_daemon
from tests.e2e.register import REGISTER
from tests.e2e.test_main_job import LETTER, WORDS

CLOCK = call("get_current_time")
RUNS: list[tuple[str, dict[str, Any]]] = [
    ("Agent.run", {"prompt": "Jam berapa?", "session_id": "talk", "run_id": "first"}),
    ("Agent.start", {"prompt": "Jam berapa?", "session_id": "other", "run_id": "second"}),
    ("Agent.run", {"prompt": WORDS, "session_id": "letter", "run_id": "third"}),
]
CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("Agent.run", {"prompt": "Jam berapa?", "session_id": "talk", "run_id": "first"}, ""),
    ("Agent.run", {"prompt": "Lain", "session_id": "talk", "run_id": "first"}, "conflict"),
    ("Agent.start", {"prompt": "Lain", "run_id": "second"}, "conflict"),
    ("Agent.get", {"run_id": "first"}, ""),
    ("Agent.get", {"run_id": "no-such-run"}, "not_found"),
    ("Agent.list", {"session_id": "talk", "limit": 5}, ""),
    ("Agent.list", {"limit": 0}, "invalid_params"),
    ("Agent.cancel", {"run_id": "first"}, "conflict"),
    ("Agent.cancel", {"run_id": "no-such-run"}, "not_found"),
    ("Agent.approve", {"run_id": "third", "approval_id": "no-such-approval", "approved": True}, "conflict"),
    ("Agent.approve", {"run_id": "third", "approval_id": "{approval}", "approved": True}, ""),
    ("Agent.approve", {"run_id": "third", "approval_id": "{approval}", "approved": False}, "conflict"),
    ("Events.subscribe", {"run_id": "first", "after": 0}, "invalid_request"),
    ("Session.create", {"title": "Loket 1"}, ""),
    ("Session.list", {"limit": 5}, ""),
    ("Session.get", {"session_id": "talk"}, ""),
    ("Session.get", {"session_id": "no-such-session"}, "not_found"),
    ("Session.fork", {"session_id": "talk"}, ""),
    ("Session.export", {"session_id": "talk"}, ""),
    ("Session.delete", {"session_id": "talk"}, ""),
    ("Session.delete", {"session_id": "no-such-session"}, "not_found"),
    ("Session.verify", {"session_id": "letter", "nik": "3175061708859001", "pin": "123456"}, ""),
    ("Session.verify", {"session_id": "letter", "nik": "3175064806849002", "pin": "123456"}, "conflict"),
    ("Session.verify", {"session_id": "letter", "pin": "123456"}, "invalid_params"),
    ("Session.verify", {"session_id": "no-such-session", "card": "X", "pin": "1"}, "not_found"),
    ("Session.forget", {"session_id": "letter"}, ""),
    ("Session.forget", {"session_id": "no-such-session"}, "not_found"),
    ("Session.vouch", {"session_id": "letter", "nik": "3175061708859001"}, ""),
    ("Session.vouch", {"session_id": "letter", "nik": "3175064806849002"}, "conflict"),
    ("Session.vouch", {"session_id": "no-such-session", "nik": "1"}, "not_found"),
    ("Letters.list", {}, ""),
    ("Request.list", {}, ""),
    ("Request.get", {"request_id": "none"}, "not_found"),
    ("Request.cancel", {"request_id": "none"}, "not_found"),
    ("Request.check", {"request_id": "none", "requirement": "KTP", "seen": True}, "not_found"),
    ("Request.compare", {"request_id": "none"}, "not_found"),
    ("Residents.status", {}, ""),
    ("Residents.visit", {"session_id": "letter"}, ""),
    ("Residents.visit", {"session_id": "no-such-session"}, "not_found"),
    ("Request.hand_over", {"request_id": "none"}, "not_found"),
    ("Correction.list", {}, ""),
    ("Correction.resolve", {"correction_id": "none", "note": "x"}, "not_found"),
    ("Tools.list", {}, ""),
    ("Tools.call", {"tool": "get_current_time", "input": {}}, ""),
    ("Tools.call", {"tool": "get_curent_time", "input": {}}, "unknown_tool"),
    ("Tools.call", {"tool": "get_current_time", "input": {"location": "Jayapura"}}, "tool_execution"),
    ("Tools.call", {"tool": "get_current_time", "input": {}, "server": "certificate"}, "unknown_tool"),
    ("Models.list", {}, ""),
    ("Analytics.ask", {"question": "Berapa total piutang?", "session_id": "books"}, ""),
    ("Graph.ask", {"question": "Apa prasyarat Sistem Operasi?", "session_id": "graph"}, "unknown_tool"),
    ("Config.reload", {}, ""),
    ("System.health", {}, ""),
    ("rpc.discover", {}, ""),
]


office = one_daemon(CLOCK, LETTER, final("Selesai."), config=HEAD + "\n".join(SERVERS.values()) + REGISTER)


@pytest.fixture(scope="module")
def contract(office: Daemon) -> dict[str, Any]:
    """The document that the daemon itself serves."""
    document: dict[str, Any] = office.call("rpc.discover")
    return document


def answered(office: Daemon, method: str, params: dict[str, Any], token: str = TOKEN) -> dict[str, Any]:
    """The whole answer to one call."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    with office.request("/rpc", body, Authorization=f"Bearer {token}") as response:
        answer: dict[str, Any] = json.load(response)
    return answer


def fits(contract: dict[str, Any], name: str, answer: dict[str, Any]) -> str:
    """The error's type, "" for a result; fails when the document promises something else."""
    method = next(each for each in contract["methods"] if each["name"] == name)
    components = contract["components"]
    if "error" not in answer:
        Draft202012Validator({**method["result"]["schema"], "components": components}).validate(answer["result"])
        return ""
    error = answer["error"]
    kind = str(error["data"]["type"])
    promised = [each["$ref"].rpartition("/")[2] for each in method["errors"]]
    assert kind in promised, f"{name} answered {kind}; its document promises {promised}"
    assert error["code"] == components["errors"][kind]["code"]
    assert error["message"]
    assert error["data"]["user_message"]
    return kind


def test_each_method_answers_as_its_document_promises(office: Daemon, contract: dict[str, Any]) -> None:
    for method, params in RUNS:
        assert fits(contract, method, answered(office, method, params)) == ""
    approval = office.call("Agent.get", run_id="third")["approval"]["approval_id"]
    for method, params, expected in CALLS:
        given = {key: approval if value == "{approval}" else value for key, value in params.items()}
        assert fits(contract, method, answered(office, method, given)) == expected, (method, given)
    assert {method for method, *_ in CALLS} == {method["name"] for method in contract["methods"]}


def test_each_method_refuses_a_parameter_that_its_document_does_not_name(
    office: Daemon, contract: dict[str, Any]
) -> None:
    for method in contract["methods"]:
        given = {param["name"]: "x" for param in method["params"] if param["required"]}
        assert fits(contract, method["name"], answered(office, method["name"], given | {"no_such_parameter": 1})) == (
            "invalid_params"
        )
