"""60 conversations of visitors without a PIN, with a model that is often wrong.

Counted over all of them: no value that is untrue, and of those that should come to a request for an officer at least 95
of 100 do. The words are those of tests/agentd/apps/letters/conversations.toml.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.agentd.apps.letters.test_conversations import ENGLISH, FORM, PROSE, TABLE, VALUE, WRONG, lines, told
from tests.daemon import SERVERS, Daemon, call, running
from tests.e2e.register import REGISTER, Person, person
from tests.e2e.told_model import ToldModel, told_model

WAYS = [(PROSE, "at once"), (FORM, "as a form"), (ENGLISH, "at once")]


@dataclass
class Conversation:
    """What somebody says, what the model calls, what is true."""

    name: str
    letter: str
    says: str
    calls: dict[str, Any]
    true: dict[str, Any]
    comes: str = "letter"


@dataclass
class Count:
    """What is counted over all conversations."""

    wanted: int = 0
    right: int = 0
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


@pytest.fixture(scope="module")
def visitor(office: Daemon) -> Person:
    return person(office, "screen", "kiosk")


def of_strangers() -> Iterator[Conversation]:
    """Twelve letters in three ways, then with one value that the model has wrong, and with one that nobody said: 60."""
    for number, key in enumerate(TABLE):
        said = told(key)
        true = {name: each[VALUE] for name, each in said.items()} | {"jenis_kelamin": "Perempuan"}  # by her NIK
        called = {name: true[name] for name in said}
        opening = f"Saya perlu {key.replace('_', ' ')}."
        for spoken, delivery in WAYS:
            words = "\n".join([opening, *lines([each[spoken] for each in said.values()], delivery)])
            yield Conversation(f"{key}: stranger, {delivery} {spoken}", key, words, called, true)
        wrong = list(said)[number % len(said)]
        words = "\n".join([opening, *lines([each[PROSE] for each in said.values()], "at once")])
        mistaken = called | {wrong: said[wrong][WRONG]}
        yield Conversation(f"{key}: stranger, {wrong} wrong", key, words, mistaken, true, "question")
        parts = [each[PROSE] for name, each in said.items() if name != wrong]
        unsaid = "\n".join([opening, *lines(parts, "at once")])
        yield Conversation(f"{key}: stranger, {wrong} unsaid", key, unsaid, mistaken, true, "question")


def held(one: Conversation, visitor: Person, model: ToldModel, count: Count) -> None:
    """Hold the conversation up to the summary and the yes; count what it came to."""
    visitor.arrive()
    model.answers = [call(f"generate_{one.letter}", **one.calls)]
    asked = visitor.says(one.says)
    count.wanted += one.comes == "letter"
    if asked["status"] != "needs_approval":
        count.missed += [f"{one.name}: {asked['response']}"] if one.comes == "letter" else []
        return
    given, sources = asked["approval"]["arguments"], asked["approval"]["sources"]
    untrue = {
        name: value for name, value in given.items() if sources.get(name) != "default" and one.true.get(name) != value
    }
    count.untrue += [f"{one.name}: {name} = {value}" for name, value in untrue.items()]
    if one.comes != "letter" or untrue:
        return
    done = visitor.says("ya")
    waits = done["status"] == "needs_approval" and done["approval"]["rule"] == "staff"
    count.right += waits
    count.missed += [] if waits else [f"{one.name}: {done['response']} {done['steps'][-1:]}"]


def test_no_request_says_what_is_untrue_and_right_ones_come(visitor: Person, model: ToldModel) -> None:
    conversations = list(of_strangers())
    count = Count()
    for one in conversations:
        held(one, visitor, model, count)
    assert len(conversations) == 60
    assert count.untrue == []
    assert count.right >= 0.95 * count.wanted, f"{count.right} of {count.wanted}:\n" + "\n".join(count.missed)
