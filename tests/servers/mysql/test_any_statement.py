"""Any text gets a verdict of the guard."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servers.mysql.scan import Kind, split
from tests.servers.mysql.test_guard import verdicts

pytestmark = pytest.mark.slow
PIECES = ["SELECT", "FROM", "t", "1", "'a'", '"b"', "`c`", "(", ")", ",", ";", "--", "/*", "*/", "/*!", "\\", "'", '"']
PIECES += ["@", "INTO", "UNION", "*", ".", "#", "sleep", "x'", "DELETE", "[", "]"]
BLANKS = [" ", "\n", "\r", "\u00a0", "\0", "\ud800"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES + BLANKS), max_size=25).map("".join), st.sampled_from(["mysql", "sqlite"]))
def test_any_text_gets_a_verdict_and_loses_nothing(sql: str, kind: Kind) -> None:
    verdicts(sql, kind)
    position = 0
    for statement in split(sql, kind):
        position = sql.index(statement.text, position) + len(statement.text)
