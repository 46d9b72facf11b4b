"""What the daemon and its apps say exists in every language, with the same places to fill."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import pytest

from agentd.agent.languages import LANGUAGES, replies
from agentd.apps.channels.texts import texts as chats
from agentd.apps.letters.asking import asking
from agentd.apps.letters.claims.deeds import languages as deeds
from agentd.apps.residents.replies import replies as residents
from agentd.errors import BY_TYPE
from clients.chat_lines import lines


def places(said: Mapping[str, Any], path: str = "") -> dict[str, set[str]]:
    """The places to fill in each text, by its key."""
    found: dict[str, set[str]] = {}
    for name, text in said.items():
        if isinstance(text, Mapping):
            found |= places(text, f"{path}{name}.")
        elif isinstance(text, str):
            assert text.strip(), f"{path}{name}"
            found[path + name] = set(re.findall(r"\{\w+\}", text))
    return found


@pytest.mark.parametrize("texts", [replies, residents, asking, deeds, chats, lines], ids=lambda texts: texts.__module__)
def test_every_reply_is_there_in_each_language_with_the_same_places(texts: Callable[[], Mapping[str, Any]]) -> None:
    assert list(texts())[: len(LANGUAGES)] == list(LANGUAGES)  # others may be read, not spoken
    first, *others = (
        places({name: said for name, said in asdict(texts()[language]).items() if name not in ("fields", "irregular")})
        for language in LANGUAGES
    )
    assert first and all(other == first for other in others)


def test_every_error_is_told_in_each_language() -> None:
    told = {
        language: {kind: error("").user_message(language) for kind, error in BY_TYPE.items()} for language in LANGUAGES
    }
    assert all(text.strip() for texts in told.values() for text in texts.values())
    assert all(len({told[language][kind] for language in LANGUAGES}) == len(LANGUAGES) for kind in BY_TYPE)
