"""Goals for the measured figures, and whether they are met. It measures nothing."""

from __future__ import annotations

from dataclasses import dataclass

from lab.figures.record import Cell, Measurement


@dataclass(frozen=True)
class Goal:
    """A limit for one figure (`name`, or `first cell of its row/column`): a maximum, or with `least` a minimum."""

    figure: str
    limit: float
    least: bool = False

    def __str__(self) -> str:
        return f"{self.figure} {'≥' if self.least else '≤'} {self.limit:g}"

    def met(self, measured: Measurement) -> str:
        """The figure and whether it meets the goal; "not measured yet" when the measurement lacks it."""
        try:
            value = found(measured, self.figure)
        except (KeyError, StopIteration):
            return "not measured yet"
        if not isinstance(value, int | float):
            return f"{value}: no number"
        good = value >= self.limit if self.least else value <= self.limit
        return f"{value}: {'met' if good else '**missed**'}"


def found(measured: Measurement, figure: str) -> Cell:
    """The value of a single figure or table cell. Raises KeyError or StopIteration when there is none."""
    row, _, column = figure.rpartition("/")
    if not row:
        return measured.figures[figure].value
    lines = (line for table in measured.tables.values() for line in table)
    return next(line for line in lines if str(next(iter(line.values()))) == row)[column]


GOALS = {
    "bench.agents": (
        Goal("MCP client alone/agentd_to_it_cpu", 0.8),
        Goal("agentd/200_runs_one_turn_s", 1.3),
        Goal("agentd/200_runs_five_calls_s", 2.5),
    ),
    "bench.rpc": (Goal("agentd/call_to_bare", 1.05), Goal("agentd/batch_to_bare", 1.0)),
    "bench.two_nodes": (Goal("two_to_one_ratio", 1.8, least=True),),
    "bench.start": (Goal("sessions_10000_more_mb", 50),),
    "bench.first_token": (
        Goal("model_first_token_snapshot_s", 0.6),
        Goal("model_second_turn_first_token_s", 0.6),
        Goal("model_turn_beside_two_busy_ratio", 2.2),
    ),
    "bench.residents": (
        Goal("verify.right_pin_ms", 10),
        Goal("import.seconds", 60),
        Goal("taps.pin_to_pdf_max_ms", 1000),
        Goal("kiosks.turn_p95_ms", 300),
    ),
    "bench.chats": (Goal("answer_p95_ms", 1000), Goal("lost", 0)),
    "bench.turns": (
        Goal("greeting/seconds", 2),
        Goal("second question/seconds", 4),
        Goal("letter with all data/seconds", 8),
        Goal("letter by words, with a PIN/seconds", 5),
    ),
    "bench.new_server": (Goal("named_s", 1), Goal("tools_s", 1)),
    "bench.page": (
        Goal("page_kiosk_kb", 300),
        Goal("page_kiosk_first_view_ms", 1000),
        Goal("page_delta_on_screen_median_ms", 50),
        Goal("page_sentence_on_screen_median_ms", 50),
    ),
    "bench.letters": (
        Goal("issue_ms", 40),
        Goal("verify_ms", 10),
        Goal("issued_per_second_by_four_processes", 20, least=True),
    ),
    "bench.grounding": (Goal("cold_ms", 2),),
    "bench.analytics": (Goal("sql.question_p95_ms", 120), Goal("operations.question_p95_ms", 120)),
    "bench.sql": (Goal("sql_rows_ratio", 0.8, least=True), Goal("sql_guard_mean_ms", 1)),
    "bench.plans": (Goal("compile_p95_ms", 2),),
    "bench.cypher": (Goal("cypher_validate_ms", 5), Goal("cypher_execute_ms", 20)),
    "bench.graph_size": (Goal("60000/load_s", 60), Goal("60000/link_exact_ms", 10), Goal("60000/validate_ms", 5)),
}
"""Goals for a quiet machine with two cores, from the issues; the one for open sessions is our own."""
