"""Whatever a model or a citizen writes is read as an action, or as a yes, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentd.agent.actions import CallTool, Final, InvalidAction, parse
from agentd.agent.approval import ASSENTS, assents
from agentd.agent.languages import words
from agentd.agent.text import plain

pytestmark = pytest.mark.slow
KNOWN = ASSENTS | {plain(phrase) for phrase in words().beside_assent}
_PIECES = st.sampled_from([*sorted(KNOWN), "tapi", "kalau", "nanti", "but", "RT", "5", "?"])


@given(st.text())
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        assert isinstance(parse(text), CallTool | Final)
    except InvalidAction as refused:
        assert str(refused)


@given(st.text(max_size=80) | st.lists(_PIECES, max_size=6).map(" ".join))
def test_only_the_words_of_the_closed_lists_assent(text: str) -> None:
    known = {word for phrase in KNOWN for word in phrase.split()}
    assert not assents(text) or ("?" not in text and known.issuperset(plain(text).split()))
