"""A daemon with the sample register of residents, and visitors and officers who call it. Not a test."""

from __future__ import annotations

import csv
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentd.access import TokenStore
from tests.daemon import HEAD, SERVERS, Daemon
from tests.waiting import until

SAMPLE = Path(__file__).parents[2] / "servers" / "residents" / "sample.csv"
REGISTER = '[[servers]]\nname = "residents"\ncommand = "python3"\nargs = ["-m", "servers.residents"]\n'
WITH_OFFICERS = HEAD.replace('letters.assurance = "declared"\n', "")
"""The shipped setting: what rests on a visitor's word alone needs an officer's approval."""
FORMS = f'[[servers]]\nname = "forms"\ncommand = "python3"\nargs = ["{Path(__file__).with_name("forms.py")}"]\n'
CONFIG = HEAD + SERVERS["certificate"] + REGISTER


def residents() -> list[dict[str, str]]:
    """The sample's residents, with their PINs (`pin`) and cards (`kartu`)."""
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Person:
    """A caller with a token; a visitor's session also has a key."""

    def __init__(self, daemon: Daemon, token: str) -> None:
        self.daemon, self.token, self.key = daemon, token, ""
        self.session_id = ""

    def call(self, method: str, **params: Any) -> Any:
        """Make one JSON-RPC call. Raises RpcFailed."""
        headers = {"Authorization": f"Bearer {self.token}", **({"Agentd-Session-Key": self.key} if self.key else {})}
        return self.daemon.called(method, params, **headers)

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


def person(daemon: Daemon, name: str, scope: Any) -> Person:
    """A caller with a new token that the daemon has already loaded."""
    made = Person(daemon, TokenStore(daemon.state / "access.json").add(name, frozenset({scope}), now=datetime.now(UTC)))

    def known() -> bool:
        with suppress(OSError):  # 401 until the daemon has read the file again
            made.call("Models.list")
            return True
        return False

    until(known, "a token that the daemon knows")
    return made


def arrived(daemon: Daemon, resident: dict[str, str] | None = None) -> Person:
    """A visitor at a new screen, verified by PIN if a resident is given."""
    one = person(daemon, "screen", "kiosk")
    one.arrive()
    if resident is not None:
        assert one.verify(nik=resident["nik"], pin=resident["pin"])["verified"]
    return one
