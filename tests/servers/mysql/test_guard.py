"""The guard alone: what it lets through and what it stops, on the characters and on the tree (issue 6, bad input)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from servers.mysql import guard
from servers.mysql.scan import Kind, split

STATEMENTS = json.loads((Path(__file__).parent / "statements.json").read_text(encoding="utf-8"))


def cases(sort: str) -> list[tuple[Kind, str, str]]:
    """(dialect, what it is, the statement); those for both stand twice."""
    kinds: dict[str, list[Kind]] = {
        "both": ["mysql", "sqlite"],
        "mysql": ["mysql"],
        "postgres": ["postgres"],
        "sqlite": ["sqlite"],
    }
    return [(kind, what, sql) for dialect, what, sql in STATEMENTS[sort] for kind in kinds[dialect]]


def verdicts(sql: str, kind: Kind) -> list[str | None]:
    """For each statement of `sql` the reason why it is refused, or None."""
    found: list[str | None] = []
    for statement in split(sql, kind):
        try:
            guard.check(statement, kind, {"mysql": ("erp",), "postgres": ("public",)}.get(kind, ()))
            found.append(None)
        except guard.RefusedError as error:
            found.append(str(error))
    return found


def test_there_are_enough_statements_of_both_sorts() -> None:
    """Issue 6: at least 100 hostile and 50 honest."""
    assert len(STATEMENTS["hostile"]) >= 100
    assert len(STATEMENTS["honest"]) >= 50
    assert len({sql for _, _, sql in STATEMENTS["hostile"]}) == len(STATEMENTS["hostile"])


@pytest.mark.parametrize(("kind", "what", "sql"), cases("hostile"), ids=lambda value: str(value)[:40])
def test_a_hostile_statement_is_refused_with_a_reason(kind: Kind, what: str, sql: str) -> None:
    """Some fall into several statements, as the server would read them: at least one of those is refused, and what
    isn't refused is only a SELECT of a constant."""
    found = verdicts(sql, kind)
    assert any(found), f"{what}: nothing refused"
    for statement, verdict in zip(split(sql, kind), found, strict=True):
        assert verdict is not None or "FROM" not in statement.words, f"{what}: {statement.text}"


@pytest.mark.parametrize(("kind", "what", "sql"), cases("honest"), ids=lambda value: str(value)[:40])
def test_an_honest_statement_passes(kind: Kind, what: str, sql: str) -> None:
    assert verdicts(sql, kind) == [None], what


@pytest.mark.parametrize("kind", ["mysql", "sqlite"])
def test_statements_are_split_where_the_server_would_split_them(kind: Kind) -> None:
    """Seed 000 §3.2.1: queries separated by `;`."""
    sql = "SELECT 'a;b' ; ; -- c; d\nSELECT `x;y` FROM t /* ; */;\n SELECT 3;; /* end; */ "
    assert [statement.text for statement in split(sql, kind)] == [
        "SELECT 'a;b' ;",
        "-- c; d\nSELECT `x;y` FROM t /* ; */;",
        "SELECT 3;",
    ]


def test_what_comes_after_an_unreadable_character_is_no_statement_of_its_own() -> None:
    statements = split("SELECT 1 { ; SELECT 2", "mysql")
    assert len(statements) == 1
    assert statements[0].problem is not None


def test_a_very_long_statement_is_refused_without_being_parsed() -> None:
    assert "characters" in str(verdicts("SELECT '" + "x" * 20_000 + "'", "mysql")[0])
    assert "too many words" in str(verdicts("SELECT " + "1+" * 9_000 + "1", "mysql")[0])
    assert "characters" in str(verdicts("SELECT 1;" * 200_000, "mysql")[0])


@pytest.mark.parametrize("sql", ["SELECT " + "NOT " * 3000 + "1", "SELECT " + "- " * 2000 + "1"])
def test_deep_nesting_is_refused_and_does_not_crash(sql: str) -> None:
    assert verdicts(sql, "mysql")[0]


def test_refusals_tell_what_to_do() -> None:
    assert verdicts("DROP TABLE t", "mysql") == ["Only SELECT statements are allowed; this one begins with DROP."]
    assert verdicts("SELECT SLEEP(1)", "mysql") == ["The function SLEEP is not allowed."]
    assert "quote it" in str(verdicts("SELECT call FROM t", "mysql")[0])
