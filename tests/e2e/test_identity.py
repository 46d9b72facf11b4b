"""Who a visitor is, on a real daemon with the sample register: by PIN, by card, by an officer; and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, final, one_daemon, running
from tests.e2e.register import CONFIG, Person, arrived, one_person, person, residents

REFUSED = {"verified": False, "level": None, "display_name": None, "expires_at": None}


office = one_daemon(final("Baik."), config=CONFIG, env={"AGENTD_CLOCK": "2026-01-05T02:00:00+00:00"})
officer = one_person("siti", "staff")


@pytest.fixture
def screen(office: Daemon, request: pytest.FixtureRequest) -> Person:
    """One for each test: wrong PINs slow a screen down."""
    return person(office, f"screen-{abs(hash(request.node.name))}", "kiosk")


@pytest.fixture
def visitor(screen: Person) -> Person:
    screen.arrive()
    return screen


def somebody(number: int) -> dict[str, str]:
    """A resident of the sample with a PIN; each test takes its own, for a wrong PIN counts against a NIK."""
    return [row for row in residents() if row["pin"]][number]


def wrong(pin: str) -> str:
    return f"{(int(pin) + 1) % 1_000_000:06d}"


def test_a_pin_proves_who_asks_until_it_is_forgotten(visitor: Person, officer: Person) -> None:
    resident = somebody(0)
    assert visitor.call("Session.get", session_id=visitor.session_id)["identity"] is None
    proven = visitor.verify(nik=resident["nik"], pin=resident["pin"])
    assert {**proven, "expires_at": None} == {
        **{"verified": True, "level": "pin", "display_name": resident["nama"], "attempts_left": 3, "expires_at": None}
    }
    shown = visitor.call("Session.get", session_id=visitor.session_id)
    assert shown["identity"] == {key: proven[key] for key in ("level", "display_name", "expires_at")}
    assert resident["nik"] not in json.dumps(shown)
    assert visitor.call("Session.forget", session_id=visitor.session_id) == {"verified": False}
    assert visitor.call("Session.get", session_id=visitor.session_id)["identity"] is None


def test_a_card_needs_the_pin_and_is_the_higher_level(visitor: Person) -> None:
    resident = next(row for row in residents() if row["kartu"] and row["pin"])
    assert visitor.verify(card=resident["kartu"], pin=wrong(resident["pin"]))["verified"] is False
    assert visitor.verify(card=resident["kartu"], pin=resident["pin"])["level"] == "card+pin"
    again = visitor.verify(nik=resident["nik"], pin=resident["pin"])
    assert again["level"] == "card+pin", "what is proven once stays proven"


def test_a_wrong_pin_and_an_unknown_nik_are_answered_alike(visitor: Person) -> None:
    resident = somebody(1)
    known = visitor.verify(nik=resident["nik"], pin=wrong(resident["pin"]))
    unknown = visitor.verify(nik="9999999999999999", pin="000000")
    assert known == unknown == {**REFUSED, "attempts_left": 2}


def test_the_third_wrong_pin_locks_the_nik_across_sessions_and_restarts(
    office: Daemon, visitor: Person, officer: Person
) -> None:
    resident = somebody(2)
    left = [visitor.verify(nik=resident["nik"], pin=wrong(resident["pin"]))["attempts_left"] for _ in range(3)]
    assert left == [2, 1, 0]
    visitor.arrive()
    right = {"session_id": visitor.session_id, "nik": resident["nik"], "pin": resident["pin"]}
    error = visitor.error("Session.verify", **right)
    assert (error["data"]["type"], error["data"]["retry_after_s"]) == ("rate_limited", 900)
    assert "15 menit" in error["data"]["user_message"]
    office.kill(15)
    office.start()
    assert visitor.refused("Session.verify", **right) == "rate_limited"
    other = somebody(3)
    assert visitor.verify(nik=other["nik"], pin=other["pin"])["verified"]
    vouched = officer.call("Session.vouch", session_id=visitor.session_id, nik=other["nik"])
    assert vouched["level"] == "pin", "an officer's eyes take nothing away"


def test_another_resident_in_the_same_session_is_a_conflict_until_the_first_is_forgotten(
    visitor: Person, officer: Person
) -> None:
    first, second = somebody(4), somebody(5)
    visitor.verify(nik=first["nik"], pin=first["pin"])
    given = {"session_id": visitor.session_id, "nik": second["nik"]}
    assert visitor.refused("Session.verify", **given, pin=second["pin"]) == "conflict"
    assert officer.refused("Session.vouch", **given) == "conflict"
    visitor.call("Session.forget", session_id=visitor.session_id)
    assert visitor.verify(nik=second["nik"], pin=second["pin"])["display_name"] == second["nama"]


def test_an_officer_vouches_and_a_visitor_cannot(visitor: Person, officer: Person) -> None:
    resident = somebody(6)
    given = {"session_id": visitor.session_id, "nik": resident["nik"]}
    assert visitor.refused("Session.vouch", **given) == "forbidden"
    vouched = officer.call("Session.vouch", **given)
    assert (vouched["verified"], vouched["level"], vouched["display_name"]) == (True, "officer", resident["nama"])
    assert visitor.call("Session.get", session_id=visitor.session_id)["identity"]["level"] == "officer"
    nobody = officer.call("Session.vouch", session_id=visitor.session_id, nik="9999999999999999")
    assert nobody["verified"] is False


def test_a_neighbour_with_the_same_screen_verifies_and_forgets_nothing(visitor: Person, office: Daemon) -> None:
    resident = somebody(7)
    visitor.verify(nik=resident["nik"], pin=resident["pin"])
    neighbour = Person(office, visitor.token)
    neighbour.key = "n" * 32
    given = {"session_id": visitor.session_id}
    assert neighbour.refused("Session.verify", **given, nik="1" * 16, pin="123456") == "not_found"
    assert neighbour.refused("Session.forget", **given) == "not_found"
    assert visitor.call("Session.get", **given)["identity"] is not None


def test_it_ends_with_the_visit_and_after_ten_idle_minutes_whatever_the_clock_does(tmp_path: Path) -> None:
    resident = somebody(0)
    daemon = Daemon(tmp_path, [final("Baik.")], CONFIG, {"AGENTD_CLOCK": "2026-01-05T02:00:00+00:00"}).start()
    try:
        one = arrived(daemon)
        until = one.verify(nik=resident["nik"], pin=resident["pin"])["expires_at"]
        assert until.startswith("2026-01-05T02:10:00")
        for clock, holds in (("02:09:59", True), ("02:10:00", False), ("01:50:00", False)):
            if clock < "02":  # set back after the next visitor's proof
                one.verify(nik=resident["nik"], pin=resident["pin"])
            daemon.kill(15)
            daemon.env["AGENTD_CLOCK"] = f"2026-01-05T{clock}+00:00"
            daemon.start()
            assert (one.call("Session.get", session_id=one.session_id)["identity"] is not None) is holds
        one.verify(nik=resident["nik"], pin=resident["pin"])
        one.call("Session.delete", session_id=one.session_id)
        held = [
            path for path in tmp_path.rglob("*") if path.is_file() and resident["nik"].encode() in path.read_bytes()
        ]
        assert held == []
    finally:
        daemon.kill(15)


def test_a_pin_stands_in_no_file_of_the_daemon(tmp_path: Path) -> None:
    resident = residents()[0]
    planted = "813057"
    with running(tmp_path, final("Baik."), config=CONFIG + '\n[telemetry]\nlog_level = "debug"\n') as daemon:
        one = arrived(daemon)
        one.verify(nik=resident["nik"], pin=planted)
        one.verify(nik=resident["nik"], pin=resident["pin"])
        one.says(f"PIN saya {planted}, mau tanya jam buka")
        error = one.error("Session.verify", session_id=one.session_id, nik="1", card="2", pin=planted)
        assert error["data"]["type"] == "invalid_params" and planted not in json.dumps(error)
        for method in ("Tools.list", "System.health"):
            assert "verify_resident" not in json.dumps(daemon.call(method))
        error = one.error("Tools.call", tool="verify_resident", input={"nik": resident["nik"], "pin": planted})
        assert error["data"]["type"] == "unknown_tool"
        daemon.kill(15)
        held = [path for path in tmp_path.rglob("*") if path.is_file() and planted.encode() in path.read_bytes()]
        assert held == []
        trail = [json.loads(line) for line in (daemon.state / "audit.jsonl").read_text().splitlines()]
        assert [entry["action"] for entry in trail if entry["action"].startswith("session.")] == [
            "session.refused",
            "session.verified",
        ]
        assert trail[-1]["facts"]["level"] == "pin" and trail[-2]["facts"]["notes"] == ["wrong_pin"]


def test_a_register_that_is_not_there_is_said_and_the_visitor_goes_on(tmp_path: Path) -> None:
    down = CONFIG.replace('"servers.residents"]', '"servers.residents"]\nresidents_url = "sqlite:///no/such/file.db"')
    for config in (HEAD + SERVERS["time"], down):
        folder = tmp_path / str(len(config))
        folder.mkdir()
        with running(folder, final("Baik."), config=config) as daemon:
            session_id = daemon.call("Session.create")["session_id"]
            with pytest.raises(RpcFailed) as failed:
                daemon.call("Session.verify", session_id=session_id, nik="3175061708859001", pin="123456")
            assert failed.value.type == "tool_execution"
            assert "tanpa PIN" in failed.value.error["data"]["user_message"]
            assert daemon.call("Agent.run", prompt="Halo", session_id=session_id)["status"] == "completed"
