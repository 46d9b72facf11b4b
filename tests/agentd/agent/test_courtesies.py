"""What is only polite is answered in the office's own words, and nothing else is (issue 21: a greeting in 2 s)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentd.agent.courtesies import Courtesies, answer_to
from agentd.agent.history import PastTurn, messages
from agentd.agent.languages import LANGUAGES, replies
from agentd.agent.toolset import Toolset
from agentd.agent.turn_policy import Offer, Turn
from agentd.errors import Language
from agentd.messages import AgentStep


@pytest.mark.parametrize(
    ("text", "language", "begins"),
    [
        ("Selamat pagi", "id", "Selamat pagi!"),
        ("slmt siang bu 🙏", "id", "Selamat siang!"),
        ("Halo, selamat sore min!!", "id", "Selamat sore!"),
        ("Assalamu'alaikum wr. wb., selamat pagi pak", "id", "Waalaikumsalam."),
        ("Permisi", "id", "Halo!"),
        ("Oke terima kasih infonya, selamat siang", "id", "Sama-sama."),
        ("mksh byk ya kak", "id", "Sama-sama."),
        ("Good morning", "en", "Good morning!"),
        ("Hi there", "en", "Hello!"),
        ("Thank you, that is all.", "en", "You are welcome."),
        ("Sugeng enjing pak", "jv", "Sugeng enjing!"),
        ("Matur nuwun sanget", "jv", "Sami-sami."),
    ],
)
def test_a_greeting_and_thanks_are_answered_in_their_language(text: str, language: Language, begins: str) -> None:
    assert (answer_to(text, language) or "").startswith(begins)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Selamat pagi, saya mau surat domisili",
            "Halo, jam berapa buka?",
            "terima kasih, tapi suratnya salah",
            "pak",
        ),
        *("ya", "oke", "Siti", "123456", "?", "", "halo " * 60, "Pagi saya ke sana", "Selamat ulang tahun", "你好"),
    ],
)
def test_what_says_more_or_other_things_is_left_to_the_model(text: str) -> None:
    assert all(answer_to(text, language) is None for language in LANGUAGES)


def turn(**more: object) -> Turn:
    return Turn(**{"request": "Selamat pagi", "toolset": Toolset(tools=(), servers=()), "language": "id", **more})  # type: ignore[arg-type]


def test_only_a_first_free_answer_in_a_language_of_the_offices_own_is_given() -> None:
    policy, called = Courtesies(), AgentStep(tool="t", server="s", input={}, success=True, duration_ms=1.0)
    assert policy.offer(turn(), Offer()).answer == "Selamat pagi! Ada yang bisa kami bantu?"
    held = Offer(may_answer=False)
    assert policy.offer(turn(), held) is held, "a form that must be filled first"
    for other in (turn(steps=(called,)), turn(spoken="fr"), turn(request="Jam berapa?")):
        assert policy.offer(other, Offer()).answer is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_courtesy_of_a_pack_is_heard_as_itself(language: Language) -> None:
    for answer, said in replies()[language].courtesies.items():
        assert said and all(answer_to(phrase, language) == answer for phrase in said), answer


def test_a_later_turn_of_the_model_reads_no_courtesy_that_the_office_answered() -> None:
    greeting = PastTurn("Selamat pagi", "Selamat pagi! Ada yang bisa kami bantu?")
    by_model = PastTurn("Selamat pagi", "Selamat pagi, Bu.")
    called = replace(greeting, steps=(AgentStep(tool="t", server="s", input={}, success=True, duration_ms=1.0),))
    asked = PastTurn("Jam berapa buka?", "Pukul 8.")
    shown = [one.content for one in messages([greeting, by_model, called, asked, greeting], 10_000, turn().toolset)]
    whole = [one.content for each in (by_model, called, asked) for one in messages([each], 10_000, turn().toolset)]
    assert shown == whole and len(whole) == 8
