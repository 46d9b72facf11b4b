"""The page for questions to the books: over the wire form of Analytics.ask, and over its engine (issue 10, /ask)."""

from __future__ import annotations

import hashlib
import io
import json
import signal
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openpyxl import load_workbook
from playwright.sync_api import Page, Route, expect

from agentd.apps.analytics import app
from lab.eval.analytics.questions import QUESTIONS
from tests.agentd.apps.analytics.scripts import CONFIG
from tests.daemon import HEAD, TOKEN, Daemon, server_entry
from tests.web.steps import violations

SHIPS = {
    "nodes.Ship": "name\nOrkney Star\nBlue Heron\nWolf\n",
    "nodes.Port": "name\nOban\nBergen\n",
    "edges.CALLED_AT": "from_label,from_key,to_label,to_key\n"
    "Ship,Orkney Star,Port,Oban\nShip,Orkney Star,Port,Bergen\nShip,Blue Heron,Port,Bergen\n",
}
GRAPH_ALONE = HEAD + server_entry("text2cypher", text2cypher_graph="%s", text2cypher_grammar="1", model=True)
ANSWER: dict[str, Any] = json.loads(Path(__file__).with_name("analytics_answer.json").read_text())

FOUND: dict[str, Any] = {
    "run_id": "r",
    "status": "completed",
    "cypher": "MATCH (m:Movie)<-[r:REVIEWED]-() RETURN m.title, m, avg(r.firstRating), count(*)",
    "columns": ["m.title", "m", "avg(r.firstRating)", "count(*)"],
    "headings": ["title", "Movie", "average first rating", "number"],
    "rows": [["The Matrix", {"title": "The Matrix", "released": 1999}, 81.5, 2], ["Cloud Atlas", None, 90, 3]],
    "answer": "Not certain: the query shows everything, without a condition.",
    "attempts": [],
    "confidence": 0.4,
    "doubts": ["the query shows everything, without a condition."],
}


def answering(result: dict[str, Any], method: str = "Analytics.ask") -> Callable[[Page], None]:
    """Let the page get this as the daemon's answer to a method: the real wire form, without an engine."""

    def fulfil(route: Route) -> None:
        asked = json.loads(route.request.post_data or "{}")
        if asked["method"] == method:
            route.fulfill(json={"jsonrpc": "2.0", "id": asked["id"], "result": result})
        else:
            route.continue_()

    return lambda page: page.route("**/rpc", fulfil)


def test_an_answer_shows_its_figures_its_table_and_how_it_was_found(
    guarded: Daemon, open_page: Callable[..., Page]
) -> None:
    desk = {"viewport": {"width": 1366, "height": 900}, "accept_downloads": True}
    page = open_page(guarded.url + "/ask", token=TOKEN, prepare=answering(ANSWER), **desk)
    page.get_by_label("Pertanyaan").fill("Berapa penjualan tiap bulan?")
    page.get_by_role("button", name="Tanya", exact=True).dblclick()
    answer = page.locator(".answer")
    expect(answer).to_have_count(1)
    for text in (ANSWER["final_narrative"], "92 / 100", "lolos dengan catatan", ANSWER["warnings_for_display"][0]):
        expect(answer).to_contain_text(text)
    expect(answer.get_by_role("img", name="total penjualan menurut bulan")).to_be_visible()
    page.get_by_role("button", name="total penjualan").click()
    cells = answer.locator("tbody tr td:first-child").all_inner_texts()
    assert cells == ["2025-01", "2025-02", "2025-04", "2025-03"]  # by value, not by letters
    page.get_by_text("Rencana dan SQL").click()
    step = answer.get_by_role("list", name="Rencana").get_by_role("listitem")
    expect(step).to_contain_text("Total per bulan")
    expect(step).to_contain_text("SELECT strftime")
    assert violations(page) == []


def test_a_doubt_that_the_answer_begins_with_is_not_listed_again(
    guarded: Daemon, open_page: Callable[..., Page]
) -> None:
    doubt, other = "Kolom Fax kosong.", "Baris dipotong."
    answer = ANSWER | {"final_narrative": f"Belum pasti: {doubt} Ada 2.", "warnings_for_display": [doubt, other]}
    page = open_page(guarded.url + "/ask", token=TOKEN, prepare=answering(answer))
    page.get_by_label("Pertanyaan").fill("Berapa?")
    page.get_by_label("Pertanyaan").press("Enter")
    expect(page.locator(".warnings li")).to_have_text([other])


def test_a_chart_has_axes_with_their_unit_and_says_each_figure_to_pointer_and_keys(
    guarded: Daemon, open_page: Callable[..., Page]
) -> None:
    page = open_page(guarded.url + "/ask", token=TOKEN, prepare=answering(ANSWER))
    page.get_by_label("Pertanyaan").fill("Berapa penjualan tiap bulan?")
    page.get_by_label("Pertanyaan").press("Enter")
    chart = page.get_by_role("img", name="total penjualan menurut bulan")
    expect(chart).to_have_attribute("data-drawn", "true")
    drawn = "(Chart.getChart(document.querySelector('.chart canvas')))"
    axes = page.evaluate(
        "(({scales: {x, y}}) => [x.options.title.text, y.options.title.text, y.ticks.length > 2])" + drawn
    )
    assert axes == ["bulan", "total penjualan (Rp)", True]
    said = page.locator(".chart").get_by_role("status")
    chart.focus()
    chart.press("ArrowRight")
    expect(said).to_have_text("2025-01 · total penjualan: Rp 1.250.000")
    chart.press("ArrowRight")
    expect(said).to_have_text("2025-02 · total penjualan: Rp 2.050.000")
    last = page.evaluate(
        "(({scales, chartArea: {top}}) => ({x: scales.x.getPixelForValue(3) - 2, y: top + 9}))" + drawn
    )
    chart.hover(position=last)
    expect(said).to_have_text("2025-04 · total penjualan: Rp 2.200.000")
    assert violations(page) == []


def test_the_chart_library_is_the_makers_own_file_with_its_licence() -> None:
    folder = Path(app.__file__).parent / "web" / "static" / "vendor" / "chartjs"
    source = tomllib.loads((folder / "source.toml").read_text())
    held = (folder / source["file"]).read_bytes()
    assert hashlib.sha256(held).hexdigest() == source["sha256"]
    assert f"Chart.js v{source['version']}".encode() in held[:200]
    assert "MIT License" in (folder / "LICENSE.md").read_text()


def test_the_page_speaks_the_language_that_its_address_names(guarded: Daemon, open_page: Callable[..., Page]) -> None:
    page = open_page(guarded.url + "/ask?lang=en", token=TOKEN, prepare=answering(ANSWER))
    page.get_by_label("Question about the office's data").fill("Sales by month?")
    page.get_by_role("button", name="Ask", exact=True).click()
    for text in ("passed with notes", "Plan and SQL", "Save as CSV", "Rows: 4"):
        expect(page.locator(".answer")).to_contain_text(text)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.get_by_role("link", name="Desk")).to_be_visible()
    assert page.title() == "Ask the data – Letter service" and violations(page) == []


def test_a_graph_is_asked_and_its_answer_shows_what_is_doubted_rows_under_plain_headings_and_the_query(
    guarded: Daemon, open_page: Callable[..., Page]
) -> None:
    page = open_page(guarded.url + "/ask?lang=en", token=TOKEN, prepare=answering(FOUND, "Graph.ask"))
    page.get_by_label("What is asked").select_option("a graph")
    expect(page.get_by_label("How the plan is made")).to_be_hidden()
    page.get_by_label("Question").fill("Which movies are there?")
    page.get_by_role("button", name="Ask", exact=True).click()
    answer = page.locator(".answer")
    expect(answer).to_contain_text(FOUND["answer"])
    expect(answer.locator("thead th")).to_have_text(["title", "title 2", "released", "average first rating", "number"])
    expect(answer.locator("tbody tr").first.locator("td")).to_have_text(
        ["The Matrix", "The Matrix", "1999", "81.5", "2"]
    )
    page.get_by_text("Cypher query").click()
    expect(answer.get_by_role("list", name="Plan").get_by_role("listitem")).to_contain_text(FOUND["cypher"])
    assert violations(page) == []


def test_a_question_that_waits_for_others_says_so(guarded: Daemon, open_page: Callable[..., Page]) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        if json.loads(route.request.post_data or "{}")["method"] == "Analytics.ask":
            held.append(route)
        else:
            route.continue_()

    def prepare(page: Page) -> None:
        page.clock.install()
        page.route("**/rpc", hold)

    page = open_page(guarded.url + "/ask?lang=en", token=TOKEN, prepare=prepare)
    page.get_by_label("Question").fill("Sales by month?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.locator("#late")).to_be_empty()
    page.clock.fast_forward(15_000)
    expect(page.locator("#late")).to_contain_text("questions are answered one at a time")
    assert violations(page) == []
    held[0].fulfill(json={"jsonrpc": "2.0", "id": json.loads(held[0].request.post_data or "")["id"], "result": ANSWER})
    expect(page.locator(".answer")).to_be_visible()
    expect(page.locator("#late")).to_be_empty()


def test_where_a_graph_is_all_there_is_the_page_opens_for_it_and_saves_its_answer(
    fresh_office: Callable[..., Daemon], open_page: Callable[..., Page], tmp_path: Path
) -> None:
    """No books and no letters; the readings cover the question, so no model is asked (issue 20, Shows)."""
    for name, text in SHIPS.items():
        (tmp_path / f"{name}.csv").write_text(text)
    office = fresh_office("no turn", config=GRAPH_ALONE % tmp_path, env={})
    page = open_page(office.url + "/ask?lang=en", token=TOKEN, accept_downloads=True)
    expect(page.get_by_label("What is asked")).to_be_hidden()
    expect(page.get_by_role("link")).to_have_text(["Ask the data"])
    assert page.title() == "Ask the data"
    page.get_by_label("Question about the graph").fill("Which ships called at Bergen?")
    page.get_by_role("button", name="Ask", exact=True).click()
    answer = page.locator(".answer")
    expect(answer.locator("tbody tr")).to_have_text(["Orkney Star", "Blue Heron"])
    page.get_by_text("Cypher query").click()
    expect(answer.get_by_role("list", name="Plan").get_by_role("listitem")).to_contain_text("CALLED_AT")
    assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    saved = Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()
    assert saved == ["name", "Orkney Star", "Blue Heron"]


def test_a_question_that_cannot_be_answered_says_what_to_do(guarded: Daemon, open_page: Callable[..., Page]) -> None:
    error = {
        "success": False,
        "error_source_node": "understand_query",
        "user_message": "Periode waktunya belum jelas.",
        "technical_details_for_log": None,
        "session_id": "s",
        "suggestions": ["Sebutkan bulan dan tahunnya."],
    }
    failed = {"run_id": "r", "session_id": "s", "status": "failed", "warnings_for_display": [], "error": error}
    page = open_page(guarded.url + "/ask", token=TOKEN, prepare=answering(failed))
    page.get_by_label("Pertanyaan").fill("Berapa?")
    page.get_by_label("Pertanyaan").press("Enter")
    problem = page.locator(".answer .problem")
    expect(problem).to_contain_text("Periode waktunya belum jelas.")
    expect(problem).to_contain_text("Sebutkan bulan dan tahunnya.")
    assert violations(page) == []


def test_the_engines_answer_survives_a_restart_and_a_hopeless_question_is_told(
    fresh_office: Callable[..., Daemon], open_page: Callable[..., Page]
) -> None:
    """The real workflow over its data servers and the seed ERP; the planner is the evaluation's perfect one."""
    ranking = next(question for question in QUESTIONS if question.kind == "ranking")
    plan = json.dumps(ranking.plan("sql"))
    never = {"text": plan, "after_ms": 3_600_000}
    clock = {"AGENTD_CLOCK": "2023-03-01T09:00:00+07:00"}
    office = fresh_office(ranking.understanding(), never, config=CONFIG, env=clock)
    desk = {"viewport": {"width": 1366, "height": 900}, "accept_downloads": True}
    page = open_page(office.url + "/ask", token=TOKEN, **desk)
    page.get_by_label("Pertanyaan").fill(ranking.text)
    page.get_by_role("button", name="Tanya", exact=True).dblclick()
    expect(page.locator("#progress")).to_have_text("Menyusun rencana…")
    office.kill(signal.SIGKILL)
    expect(page.locator("#progress")).to_contain_text("Sambungan terputus")
    office.script(ranking.understanding(), {"text": plan}, "no plan")
    office.start()

    answer = page.locator(".answer")
    expect(answer.locator(".narrative")).to_contain_text("Hasil: ")
    expect(answer).to_have_count(1)
    expect(answer.get_by_text("/ 100")).to_be_visible()
    rows = office.call("Agent.list", limit=5)["runs"]
    assert [run["kind"] for run in rows] == ["analytics"]  # asked once, whatever was tapped or broke
    expect(answer.get_by_role("img")).to_be_visible()
    expect(answer.locator("thead")).to_contain_text("(Rp)")
    names = answer.locator("tbody tr td:first-child")
    top = names.all_inner_texts()
    assert len(top) > 1
    sort = answer.locator("th button").last
    sort.click()
    expect(names.first).to_have_text(top[-1])  # the smallest first
    page.get_by_text("Rencana dan SQL").click()
    expect(answer.locator("pre").first).to_contain_text("SELECT")
    expect(answer).to_contain_text("mysql_mcp_server · execute_sql_query")
    assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Simpan CSV").click()
    assert len(Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()) == len(top) + 1
    with page.expect_download() as download:
        page.get_by_role("button", name="Simpan XLSX").click()
    sheet = load_workbook(io.BytesIO(Path(download.value.path()).read_bytes())).active
    assert [row[0].value for row in sheet.iter_rows(min_row=2)] == top

    page.get_by_label("Pertanyaan").fill("Apa warna langit?")
    page.get_by_role("button", name="Tanya", exact=True).click()
    expect(answer.first.locator(".problem")).to_be_visible(timeout=60_000)
    expect(answer.first.locator(".problem li").first).to_be_visible()  # what to try
    assert "no plan" not in page.content()
