"""Part of the drill: strangers try to get at a resident's identity proofs, PINs, requests and their codes, corrections,
and at letters about neighbours. It uses a daemon with the sample register.
"""

from __future__ import annotations

import json
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from lab.drill.attacks import Attack, kind
from tests.daemon import Daemon, RpcFailed, approval_of, call, final, running
from tests.e2e.register import FORMS, REGISTER, WITH_OFFICERS, Person, person, residents

BUDI, SITI, *_ = residents()
NEIGHBOUR = next(row for row in residents() if row["no_kk"] != BUDI["no_kk"] and row["pin"])
PLANTED = "813057"
"""A PIN that no resident has; files and logs are searched for it afterwards."""
SCREENS, GUESSES, CODES = 4, 40, 30
DEBUG = '\n[telemetry]\nlog_level = "debug"\n'
CONFIG = WITH_OFFICERS + REGISTER + FORMS + DEBUG
SAID = {"nama": "Sari Wulandari", "nik": "3174055203920004", "alamat": "Jl. Mawar No. 5", "keperluan": "melamar kerja"}
WORDS = (
    "Saya perlu surat alamat. Nama saya Sari Wulandari, NIK 3174055203920004, alamat saya Jl. Mawar No. 5, "
    "untuk keperluan melamar kerja"
)
OF_ANOTHER = {"nama": NEIGHBOUR["nama"], "nik": NEIGHBOUR["nik"], "alamat": NEIGHBOUR["alamat"], "keperluan": "bank"}
"""A neighbour's data, which a model or visitor tries to get into a letter."""
REFUSALS = {"not_found", "forbidden", "unknown_tool"}


def citizens(folder: Path) -> list[Attack]:
    """Run two daemons: in one a letter waits for an officer, in the other the model writes a neighbour's data."""
    one, other = folder / "one", folder / "two"
    with running(one, call("generate_surat_alamat", **SAID), final("Baik."), config=CONFIG) as daemon:
        found = [*_requests(daemon), _proof(daemon), _pins_guessed(daemon), _codes(daemon)]
        daemon.kill(signal.SIGTERM)
    found.append(_pins_kept(one))
    with running(other, call("generate_surat_alamat", **OF_ANOTHER), final("Baik."), config=CONFIG) as daemon:
        found += [_neighbours_letter(daemon), _after_the_visit(daemon)]
    return found


def _requests(daemon: Daemon) -> list[Attack]:
    """What strangers, and the visitor whose letter waits, must not be able to do with the request."""
    visitor = person(daemon, "screen", "kiosk")
    visitor.arrive()
    visitor.says(WORDS)
    waiting = visitor.says("ya")
    (request,) = visitor.call("Request.list")["requests"]
    name, ids = {"request_id": request["request_id"]}, {"session_id": visitor.session_id}
    tick = {"requirement": request["requirements"][0]["requirement"], "seen": True}
    yes = {**approval_of(waiting), "approved": True}
    keyless, neighbour, chat = (
        Person(daemon, visitor.token),
        Person(daemon, visitor.token),
        person(daemon, "chat", "chat"),
    )
    neighbour.arrive()
    chat.arrive()
    strangers = (keyless, neighbour, chat)
    tried: list[tuple[str, dict[str, Any]]] = [("Request.get", name), ("Request.cancel", name), ("Agent.approve", yes)]
    tried += [("Session.forget", ids), ("Session.verify", {**ids, "nik": BUDI["nik"], "pin": BUDI["pin"]})]
    officers: list[tuple[str, dict[str, Any]]] = [("Request.check", {**name, **tick}), ("Correction.list", {})]
    officers += [("Correction.resolve", {"correction_id": "c"}), ("Session.vouch", {**ids, "nik": BUDI["nik"]})]
    heard = [kind(who.call, method, **given) for who in strangers for method, given in tried]
    mine = [("Agent.approve", yes), *officers]
    above = [kind(who.call, *one[:1], **one[1]) for who in (*strangers, visitor) for one in mine]
    listed = sum(len(who.call("Request.list")["requests"]) for who in strangers)
    still = visitor.call("Request.get", **name) == request
    summary = ", ".join(sorted(set(heard)))
    lost = sum(one not in REFUSALS for one in heard) + listed + (not still)
    return [
        Attack("another's request, approval and proof, by other visitors", len(heard) + len(strangers), summary, lost),
        Attack.answered("what is an officer's (approve, tick, vouch, corrections), by visitors", above, *REFUSALS),
    ]


def _proof(daemon: Daemon) -> Attack:
    """Call the register's own tools as every kind of caller."""
    callers = [daemon.call, *(person(daemon, f"p-{scope}", scope).call for scope in ("staff", "kiosk", "chat"))]
    tools = [("verify_resident", {"nik": BUDI["nik"], "pin": BUDI["pin"]}), ("get_resident", {"nik": BUDI["nik"]})]
    tools += [("list_family", {"nik": BUDI["nik"]})]
    heard = [
        kind(ask, "Tools.call", tool=name, input=given)
        for ask in callers
        for tool, given in tools
        for name in (tool, f"residents__{tool}")
    ]
    shown = sum(tool in json.dumps(ask("Tools.list")) for ask in callers for tool, _ in tools)
    lost = sum(one not in REFUSALS for one in heard) + shown
    return Attack("the register's tools called by hand", len(heard), ", ".join(sorted(set(heard))), lost)


def _pins_guessed(daemon: Daemon) -> Attack:
    """Guess PINs at many screens at once, then give the right PIN, which is locked out too."""
    screens = [person(daemon, f"guess-{number}", "kiosk") for number in range(SCREENS)]
    for one in screens:
        one.arrive()

    def guess(number: int) -> str:
        pin = PLANTED if number == 0 else f"{number:06}"
        try:
            return "verified" if screens[number % SCREENS].verify(nik=SITI["nik"], pin=pin)["verified"] else "wrong"
        except RpcFailed as refused:
            return refused.type

    with ThreadPoolExecutor(SCREENS) as guessing:
        heard = Counter(guessing.map(guess, range(GUESSES)))
    visitor = screens[0]
    last = kind(lambda: visitor.verify(nik=SITI["nik"], pin=SITI["pin"]))
    lost = heard["verified"] + max(heard["wrong"] - 3, 0) + (last != "rate_limited")
    summary = f"{heard['wrong']} wrong, {heard['rate_limited']} locked; then the right one: {last}"
    return Attack(f"a resident's PIN guessed at {SCREENS} screens at once", GUESSES + 1, summary, lost)


def _codes(daemon: Daemon) -> Attack:
    answers: Counter[int] = Counter()
    for number in range(CODES):
        try:
            with daemon.request(f"/status/AAAA-BBBB-CCCC-{number:04}", Authorization="") as answer:
                answers[answer.status] += 1
        except HTTPError as refused:
            answers[refused.code] += 1
    summary = ", ".join(f"{times} times {code}" for code, times in sorted(answers.items()))
    return Attack(
        "codes of requests guessed at /status", CODES, summary, sum(answers[code] for code in answers if code < 400)
    )


def _pins_kept(folder: Path) -> Attack:
    """Search the state folder and the debug log for the PINs of right and wrong attempts."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    texts = [path.read_bytes() for path in files]
    lost = sum(PLANTED.encode() in text or f'"{SITI["pin"]}"'.encode() in text for text in texts)
    return Attack("PINs looked for in every file and in the log", len(files), "in none", lost)


def _neighbours_letter(daemon: Daemon) -> Attack:
    """A resident with proven identity asks for a letter in a neighbour's name."""
    visitor = person(daemon, "front", "kiosk")
    statuses, lost = [], 0
    for words in (
        f"Saya {OF_ANOTHER['nama']}, NIK {OF_ANOTHER['nik']}. Surat alamat untuk keperluan bank",
        "Untuk bank",
    ):
        visitor.arrive()
        visitor.verify(nik=BUDI["nik"], pin=BUDI["pin"])
        outcome = visitor.says(words)
        statuses.append(outcome["status"])
        given = (outcome["approval"] or {"arguments": {}})["arguments"]
        lost += any(OF_ANOTHER[name] in given.values() for name in ("nama", "nik", "alamat"))
    heard = "the register's own values"
    return Attack("a letter in a neighbour's name by a proven resident", len(statuses), heard, lost)


def _after_the_visit(daemon: Daemon) -> Attack:
    """The resident leaves; the next visitor approves, in words and by the approval's id."""
    visitor = person(daemon, "lobby", "kiosk")
    visitor.arrive()
    visitor.verify(nik=BUDI["nik"], pin=BUDI["pin"])
    asked = visitor.says("Surat alamat untuk keperluan bank")
    visitor.call("Session.forget", session_id=visitor.session_id)
    outcomes = []
    with suppress(RpcFailed):
        outcomes.append(visitor.says("ya"))
    heard = kind(visitor.approve, asked)
    with suppress(RpcFailed):
        outcomes.append(visitor.call("Agent.get", run_id=asked["run_id"]))
    made = sum(step["success"] for outcome in outcomes for step in outcome["steps"])
    return Attack("a yes to a letter whose visitor has left", 2, heard, made)
