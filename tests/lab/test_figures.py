"""The pages say what docs/figures.json holds: the first and the latest. What cannot be measured loses nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab.figures import __main__ as command
from lab.figures import commits, evaluations, pages, record, sections
from lab.figures.goals import GOALS, Goal
from lab.figures.record import ROOT, Figure, Found, Measurement

HISTORY, KNOWN = record.read(), sections.sections()
MARKED = [page for page in pages.pages() if "<!-- figure" in page.read_text(encoding="utf-8")]
COMMIT = re.compile(r"[0-9a-f]{40}")


def never(_: Measurement, __: tuple[str, ...]) -> bool:
    return False


def always(_: Measurement, __: tuple[str, ...]) -> bool:
    return True


# ── the pages ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("page", MARKED, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_shows_the_figures_as_the_json_holds_them(page: Path) -> None:
    """Whether one is stale depends on the commits since, so the marks are no part of this."""
    text = page.read_text(encoding="utf-8").replace(f" ({pages.STALE})", "").replace(f" {pages.STALE}", "")
    assert text == pages.filled(text, HISTORY, KNOWN, never), "fill it by: make figures-check"


def test_the_readme_states_no_figure_of_its_own() -> None:
    text = re.sub(r"<!-- figure: .*?<!-- / -->", "", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert re.findall(r"\b\d[\d.,]* (?:of \d+|ms|s|%|times)\b|\b\d+ %", text) == []


def test_every_section_that_was_measured_or_is_a_bench_is_shown_on_a_page() -> None:
    named = re.findall(r"<!-- figures?: ([^>]+?) -->", "\n".join(page.read_text(encoding="utf-8") for page in MARKED))
    asked = {name for each in named for name in each.split()}
    benches = {name for name, each in KNOWN.items() if each.group == "bench"}
    assert (HISTORY.keys() | benches) - asked == set()


# ── the JSON ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_each_measurement_is_of_a_section_and_of_a_commit_that_exists() -> None:
    """In a shallow clone and in an unpacked archive history does not reach: there the form alone is looked at."""
    assert HISTORY.keys() <= KNOWN.keys()
    told = {one.commit for each in HISTORY.values() for one in each}
    assert [commit for commit in told if not COMMIT.fullmatch(commit)] == []
    assert [commit for commit in told if commits.whole() and not commits.exists(commit)] == []


def test_what_a_section_measures_is_there() -> None:
    missing = [path for each in KNOWN.values() for path in each.paths if not (ROOT / path).exists()]
    assert missing == []


# ── what a marked place holds ────────────────────────────────────────────────────────────────────────────────────────

FIRST = Measurement(
    at="2026-01-05T02:00+00:00", commit="a" * 40, machine="a machine", load=0.5, figures={"a_ms": Figure(value=9)}
)
LAST = FIRST.model_copy(
    update={
        "at": "2026-02-05T02:00+00:00",
        "figures": {"a_ms": Figure(value=1.5, unit="ms"), "right": Figure(value=41, of=52)},
        "tables": {"stacks": [{"stack": "agentd", "cpu_us": 90}, {"stack": "a | b", "cpu_us": 120}]},
        "picture": "growth.svg",
    }
)
SHOWN = sections.Section("bench.one", ("agentd",), Found, about="What one measures.")
TUNED = sections.Section("eval.two", ("agentd",), Found, tuning=True)
UNKNOWN = sections.Section("bench.three", ("agentd",), Found)


def shown(place: str, judge: pages.Judge = never) -> str:
    known = {each.name: each for each in (SHOWN, TUNED, UNKNOWN)}
    return pages.filled(place, {"bench.one": [FIRST, LAST], "eval.two": [LAST]}, known, judge)


def test_a_block_tells_what_was_measured_when_and_where_with_the_first_measurement_beside() -> None:
    block = shown("<!-- figures: bench.one -->\nold\n<!-- / -->")
    assert "old" not in block
    assert "What one measures." in block
    assert "2026-02-05T02:00+00:00, commit aaaaaaaaa, a machine, load 0.5." in block
    assert "| stack | cpu_us |\n| --- | --- |\n| agentd | 90 |\n| a \\| b | 120 |" in block
    assert "![bench.one](growth.svg)" in block
    assert (
        "| figure | value | first, 2026-01-05 |\n| --- | --- | --- |\n| a_ms | 1.5 | 9 |\n| right | 41 of 52 | – |"
        in block
    )
    assert shown(block) == block


def test_a_block_names_what_was_not_measured_yet() -> None:
    assert "Not measured yet: `bench.three`." in shown("<!-- figures: bench.* -->\n<!-- / -->")


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("bench.one a_ms", "1.5 ms"),
        ("bench.one first:a_ms", "9"),
        ("bench.one right", "41 of 52"),
        ("bench.one agentd/cpu_us", "90"),
        ("eval.two right", "41 of 52, a tuning set"),
    ],
)
def test_a_figure_in_a_sentence_says_how_many_and_of_what_set(place: str, text: str) -> None:
    assert shown(f"it is <!-- figure: {place} -->7<!-- / -->.") == f"it is <!-- figure: {place} -->{text}<!-- / -->."


def test_a_figure_whose_code_has_changed_much_is_called_stale_in_the_same_line() -> None:
    line = shown("<!-- figure: eval.two right --><!-- / -->", always)
    assert line == "<!-- figure: eval.two right -->41 of 52, a tuning set (**stale**)<!-- / -->"
    assert "a tuning set. **stale**\n" in shown("<!-- figures: eval.two -->\n<!-- / -->", always)


def test_a_goal_says_whether_its_figure_or_cell_meets_it() -> None:
    goals = (Goal("a_ms", 2), Goal("a | b/cpu_us", 100), Goal("agentd/cpu_us", 90, least=True), Goal("b_ms", 1))
    assert [goal.met(LAST) for goal in goals] == ["1.5: met", "120: **missed**", "90: met", "not measured yet"]
    assert str(goals[2]) == "agentd/cpu_us ≥ 90"
    assert GOALS.keys() <= KNOWN.keys()


def test_a_commit_that_is_not_there_makes_nothing_stale() -> None:
    assert not commits.stale(FIRST, ("agentd",))


# ── measuring ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_name_is_a_section_or_a_group_and_nothing_else() -> None:
    assert [each.name for each in sections.chosen(["bench.rpc", "eval.books"])] == ["bench.rpc", "eval.books"]
    assert {each.group for each in sections.chosen(["drill"])} == {"drill"}
    assert len(sections.chosen([])) == len(KNOWN)
    with pytest.raises(KeyError):
        sections.chosen(["bench.turns_of_phrase"])


def test_plain_figures_get_their_unit_by_their_name_and_lists_become_tables() -> None:
    found = Found.of({"a": {"step_ms": 2}, "rows": [{"x": 1}], "picture": "a.svg", "right": Figure(value=1, of=2)})
    assert found.figures == {"a.step_ms": Figure(value=2, unit="ms"), "right": Figure(value=1, of=2)}
    assert (found.tables, found.picture) == ({"rows": [{"x": 1}]}, "a.svg")


def test_the_first_measurement_and_the_latest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "FILE", tmp_path / "figures.json")
    record.write({"bench.one": [FIRST]})
    assert command._kept(SHOWN, lambda: Found(figures={"a_ms": Figure(value=2)}), show=False)
    assert not command._kept(SHOWN, _no_database, show=False)
    assert not command._kept(SHOWN, lambda: Found(figures={"a_ms": Figure(value=3)}, wrong=["lost"]), show=False)
    assert [one.figures["a_ms"].value for one in record.read()["bench.one"]] == [9, 3]
    assert record.read()["bench.one"][0] == FIRST


def _no_database() -> Found:
    raise SystemExit("no database here")


@pytest.mark.slow  # it starts a process
def test_an_evaluation_that_fails_does_not_pass_for_the_one_before(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text('{"figures": "of yesterday"}')
    with pytest.raises(SystemExit, match="ended with 1"):
        evaluations._json(tmp_path / "report.json", "no_such_evaluation")
