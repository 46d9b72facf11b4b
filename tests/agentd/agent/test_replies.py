"""What the daemon says exists in every language, with the same places to fill."""

from __future__ import annotations

import re
from dataclasses import asdict

from agentd.agent.languages import LANGUAGES
from agentd.agent.replies import replies


def test_every_reply_is_there_in_each_language_with_the_same_places() -> None:
    def places(text: str) -> set[str]:
        return set(re.findall(r"\{\w+\}", text))

    first, *others = (asdict(replies()[language]) for language in LANGUAGES)
    for other in others:
        assert other["prompt"].keys() == first["prompt"].keys()
        texts = {name: text for name, text in first.items() if isinstance(text, str)}
        assert all(text and places(text) == places(other[name]) for name, text in texts.items())
    assert places(first["differs"]) == {"{title}", "{registered}"}
