"""A daemon with the sample register of residents, and visitors and officers who call it. Not a test."""

from __future__ import annotations

import csv
import urllib.error
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentd.access import TokenStore
from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, approval_of, server_entry
from tests.waiting import until

SAMPLE = Path(__file__).parents[2] / "servers" / "residents" / "sample.csv"
REGISTER = server_entry("residents")
WITH_OFFICERS = HEAD.replace('letters.assurance = "declared"\n', "")
"""The shipped setting: what rests on a visitor's word alone needs an officer's approval."""
FORMS = server_entry("forms", Path(__file__).with_name("forms.py"))
CONFIG = HEAD + SERVERS["certificate"] + REGISTER


def residents() -> list[dict[str, str]]:
    """The sample's residents, with their PINs (`pin`) and cards (`kartu`)."""
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Person:
    """Somebody who calls a daemon: a token, which others may share, and a visitor's own key."""

    def __init__(self, daemon: Daemon, token: str, key: str = "") -> None:
        self.daemon, self.token, self.key = daemon, token, key
        self.session_id = ""

    def headers(self) -> dict[str, Any]:
        return {"Authorization": f"Bearer {self.token}", **({"Agentd-Session-Key": self.key} if self.key else {})}

    def call(self, method: str, **params: Any) -> Any:
        """Make one JSON-RPC call. Raises RpcFailed."""
        return self.daemon.called(method, params, **self.headers())

    def error(self, method: str, **params: Any) -> dict[str, Any]:
        """The error that a call answers."""
        with pytest.raises(RpcFailed) as failed:
            self.call(method, **params)
        return failed.value.error

    def refused(self, method: str, **params: Any) -> str:
        """The type of the error that a call answers."""
        return str(self.error(method, **params)["data"]["type"])

    def status(self, path: str) -> int:
        """The HTTP status of a GET."""
        try:
            with self.daemon.request(path, None, **self.headers()) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code

    def arrive(self) -> str:
        """Create a session and return its id."""
        self.key = ""
        made = self.call("Session.create")
        self.session_id, self.key = made["session_id"], made["session_key"]
        return self.session_id

    def verify(self, **given: str) -> Any:
        """Call Session.verify in the visitor's session."""
        return self.call("Session.verify", session_id=self.session_id, **given)

    def says(self, prompt: str, **more: Any) -> Any:
        """Call Agent.run in the visitor's session."""
        return self.call("Agent.run", prompt=prompt, session_id=self.session_id, **more)

    def approve(self, waiting: dict[str, Any], approved: bool = True, **more: Any) -> Any:
        """Decide about the approval that an outcome waits for."""
        return self.call("Agent.approve", **approval_of(waiting), approved=approved, **more)


def token(daemon: Daemon, name: str, *scopes: Any) -> str:
    """A new token, once the daemon knows it (a fifth of a second later at most)."""
    made = TokenStore(daemon.state / "access.json").add(name, frozenset(scopes), now=datetime.now(UTC))
    asked = Person(daemon, made)
    until(lambda: asked.status("/events?run_id=none") not in (401, 429), "a token that the daemon knows")
    return made


def person(daemon: Daemon, name: str, *scopes: Any) -> Person:
    """A caller with a new token."""
    return Person(daemon, token(daemon, name, *scopes))


def one_person(name: str, scope: str) -> Any:
    """A fixture: one caller of the fixture `office` for all tests of the file."""

    @pytest.fixture(scope="module")
    def called(office: Daemon) -> Person:
        return person(office, name, scope)

    return called


def arrived(daemon: Daemon, resident: dict[str, str] | None = None) -> Person:
    """A visitor at a new screen, verified by PIN if a resident is given."""
    one = person(daemon, "screen", "kiosk")
    one.arrive()
    if resident is not None:
        assert one.verify(nik=resident["nik"], pin=resident["pin"])["verified"]
    return one
