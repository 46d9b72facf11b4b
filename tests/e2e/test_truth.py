"""100 conversations of residents who signed in and 80 of visitors who did not, with a model that is often wrong.

Counted over all of them: no value that is untrue, no letter about somebody else, and of those that should come to a
letter at least 95 of 100 do. The words are those of tests/agentd/apps/letters/conversations.toml, temptations.toml, and
strangers.toml, which was written before any of it was run.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.agentd.apps.letters.test_conversations import ENGLISH, FORM, PROSE, TABLE, VALUE, WRONG, lines, told
from tests.daemon import SERVERS, Daemon, call, running
from tests.e2e.register import REGISTER, Person, one_person, residents
from tests.e2e.told_model import ToldModel, told_model

RESIDENTS = {one["nama"]: one for one in residents()}
WITH_PIN = [one for one in RESIDENTS.values() if one["pin"]]
CASES, STRANGE = (
    tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))["case"]
    for name in ("temptations.toml", "strangers.toml")
)
WAYS = [(PROSE, "at once"), (FORM, "as a form"), (ENGLISH, "at once")]
TEMPTED = 3
"""The fourth way: the model adds a neighbour's data, or one value that was not said."""


@dataclass
class Conversation:
    """Who speaks (a resident, or nobody that is known), what they say and the model calls then, what is true.

    It comes to a letter, to a question, or ("own") to at most a letter with nothing but what is true.
    """

    name: str
    letter: str
    turns: list[tuple[str, dict[str, Any] | None]]
    true: dict[str, Any]
    comes: str = "letter"
    who: dict[str, str] | None = None


@dataclass
class Count:
    """What is counted over all conversations."""

    wanted: int = 0
    right: int = 0
    asked: list[str] = field(default_factory=list)
    untrue: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def model() -> Iterator[ToldModel]:
    with told_model() as told:
        yield told


@pytest.fixture(scope="module")
def office(model: ToldModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    config = model.config() + SERVERS["certificate"] + REGISTER
    with running(tmp_path_factory.mktemp("truth"), call("unused"), config=config) as daemon:
        yield daemon


visitor = one_person("screen", "kiosk")


@pytest.fixture(scope="module")
def sources(visitor: Person) -> dict[str, dict[str, str | None]]:
    """{letter: {field: where a resident's comes from}}."""
    listed = visitor.call("Letters.list")["letters"]
    return {
        one["tool"].removeprefix("generate_"): {each["name"]: each["source"] for each in one["fields"]}
        for one in listed
    }


def registered(where: dict[str, str | None], who: dict[str, str], member: dict[str, str] | None) -> dict[str, str]:
    """What the register holds for a letter's form."""
    found = {}
    for name, source in where.items():
        whose, _, key = (source or "").partition(".")
        holder = {"resident": who, "family": member}.get(whose) or {}
        if value := holder.get(key or "nama"):
            found[name] = value
    return found


def of_residents(sources: dict[str, dict[str, str | None]]) -> Iterator[Conversation]:
    """Twelve letters in four ways, and the temptations: 60."""
    for number, key in enumerate(TABLE):
        where, said = sources[key], told(key)
        member = RESIDENTS["Rizky Contoh"] if "family" in where.values() else None
        unmarried = key == "surat_keterangan_belum_menikah"
        who = RESIDENTS["Budi Contoh"] if member else RESIDENTS["Rizky Contoh"] if unmarried else WITH_PIN[number]
        left = {
            name: each for name, each in said.items() if not (where[name] or "").startswith(("resident.", "family."))
        }
        for name in [name for name in left if where[name] == "family"]:
            left[name] = [member["nama"], "", *_of(member["nama"], left[name])]
        for way in range(TEMPTED + 1):
            spoken, delivery = WAYS[way % len(WAYS)]
            true = {name: each[VALUE] for name, each in left.items()}
            neighbour = {"nama": "Sari Wulandari", "nik": "3174055203920004", "alamat": "Jl. Mawar No. 5"}
            more = {name: value for name, value in neighbour.items() if name in where} if way == TEMPTED else {}
            opening = f"Saya perlu {key.replace('_', ' ')}."
            words = "\n".join([opening, *lines([each[spoken] for each in left.values()], delivery)])
            name = f"{key}: resident, way {way}"
            yield Conversation(name, key, [(words, true | more)], true | registered(where, who, member), who=who)
    for case in CASES:
        who = RESIDENTS[case["who"]]
        said = case.get("said", {})
        member = next((RESIDENTS.get(value) for value in said.values() if value in RESIDENTS), None)
        true = said | registered(sources[case["letter"]], who, member)
        turns = [(case["says"], case["calls"])]
        yield Conversation(case["says"], case["letter"], turns, true, case["comes"], who)


def _of(name: str, each: list[str]) -> list[str]:
    """The three ways to say it, with another value in its place."""
    return [words.replace(each[VALUE], name) for words in each[PROSE:]]


def of_strangers() -> Iterator[Conversation]:
    """Twelve letters in three ways, then with one value that the model has wrong, and with one that nobody said: 60."""
    for number, key in enumerate(TABLE):
        said = told(key)
        true = {name: each[VALUE] for name, each in said.items()} | {"jenis_kelamin": "Perempuan"}  # by her NIK
        called = {name: true[name] for name in said}
        opening = f"Saya perlu {key.replace('_', ' ')}."
        for spoken, delivery in WAYS:
            words = "\n".join([opening, *lines([each[spoken] for each in said.values()], delivery)])
            yield Conversation(f"{key}: stranger, {delivery} {spoken}", key, [(words, called)], true)
        wrong = list(said)[number % len(said)]
        words = "\n".join([opening, *lines([each[PROSE] for each in said.values()], "at once")])
        mistaken = called | {wrong: said[wrong][WRONG]}
        yield Conversation(f"{key}: stranger, {wrong} wrong", key, [(words, mistaken)], true, "question")
        parts = [each[PROSE] for name, each in said.items() if name != wrong]
        unsaid = "\n".join([opening, *lines(parts, "at once")])
        yield Conversation(f"{key}: stranger, {wrong} unsaid", key, [(unsaid, mistaken)], true, "question")


def at_the_counter(sources: dict[str, dict[str, str | None]]) -> Iterator[Conversation]:
    """strangers.toml: 40 who signed in, 20 who did not."""
    for case in STRANGE:
        who = RESIDENTS[case["who"]] if "who" in case else None
        held = registered(sources[case["letter"]], who, RESIDENTS.get(case.get("member", ""))) if who else {}
        turns = [(turn["says"], turn.get("calls")) for turn in case["turns"]]
        name, comes = turns[-1][0], case.get("comes", "letter")
        yield Conversation(name, case["letter"], turns, case.get("said", {}) | held, comes, who)


def _missing(asked: dict[str, Any]) -> dict[str, str]:
    """{field: its label} of what the letter still lacked, which the citizen is asked for."""
    output = asked["steps"][-1]["output"] if asked["steps"] and asked["status"] != "needs_approval" else {}
    return dict(zip(output.get("missing", ()), output.get("labels", ()), strict=False))


def held(one: Conversation, visitor: Person, model: ToldModel, count: Count) -> None:
    """Hold the conversation up to the summary and the yes; count what it came to."""
    visitor.arrive()
    if one.who is not None:
        assert visitor.verify(nik=one.who["nik"], pin=one.who["pin"])["verified"], one.name
    for says, calls in one.turns:
        model.answers = [] if calls is None else [call(f"generate_{one.letter}", **calls)]
        asked = visitor.says(says)
    count.wanted += one.comes == "letter"
    if one.comes == "letter" and (missing := _missing(asked)):
        count.asked += [f"{one.name}: {', '.join(missing)}"]
        model.answers = [call(f"generate_{one.letter}", **(one.turns[-1][1] or {}))]
        asked = visitor.says("\n".join(f"{label}: {one.true[name]}" for name, label in missing.items()))
    if asked["status"] != "needs_approval":
        count.missed += [f"{one.name}: {asked['response']}"] if one.comes == "letter" else []
        return
    given, sources = asked["approval"]["arguments"], asked["approval"]["sources"]
    untrue = {
        name: value for name, value in given.items() if sources.get(name) != "default" and one.true.get(name) != value
    }
    count.untrue += [f"{one.name}: {name} = {value}" for name, value in untrue.items()]
    if untrue:
        return
    done = visitor.says("ya")
    if one.comes != "letter":
        count.untrue += [f"{one.name}: a letter"] if one.comes == "question" and done["artifacts"] else []
        return
    issued = one.who is not None and done["status"] == "completed" and done["steps"][-1]["success"]
    waits = done["status"] == "needs_approval" and done["approval"]["rule"] == "staff"
    count.right += issued or waits
    count.missed += [] if issued or waits else [f"{one.name}: {done['response']} {done['steps'][-1:]}"]


@pytest.mark.parametrize("who", ["residents", "strangers", "at the counter"])
def test_no_letter_says_what_is_untrue_and_right_ones_come(
    who: str, visitor: Person, model: ToldModel, sources: dict[str, dict[str, str | None]]
) -> None:
    made = {"residents": of_residents(sources), "strangers": of_strangers(), "at the counter": at_the_counter(sources)}
    conversations, count = list(made[who]), Count()
    for one in conversations:
        held(one, visitor, model, count)
    assert len(conversations) == 60
    assert count.untrue == []
    assert count.right >= 0.95 * count.wanted, f"{count.right} of {count.wanted}:\n" + "\n".join(
        [*count.missed, "asked:", *count.asked]
    )
