"""Traces reach a collector over OTLP, and a tool's server knows the span it was called from (issue: observability)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.daemon import HEAD, call, final, running, server_entry
from tests.http_server import Handler, serving

FRIENDLY = Path(__file__).parents[1] / "bridges" / "mcp" / "friendly.py"


@contextmanager
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """An OTLP/HTTP endpoint: its address and the bodies it was sent."""
    bodies: list[bytes] = []

    class Endpoint(Handler):
        def do_POST(self) -> None:
            body = self.body()
            if self.path == "/v1/traces":
                bodies.append(body)
            self.answer(b"")

    with serving(Endpoint) as url:
        yield url, bodies


def spans(bodies: list[bytes]) -> list[Span]:
    return [
        span
        for body in bodies
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def test_a_run_is_one_trace_from_the_daemon_to_the_tools_server(tmp_path: Path) -> None:
    with collector() as (endpoint, bodies):
        config = f'{HEAD}{server_entry("friendly", FRIENDLY)}[telemetry]\notlp_endpoint = "{endpoint}"\n'
        with running(tmp_path, call("meta"), final("Rahasia"), config=config) as daemon:
            answer = daemon.call("Agent.run", prompt="Kucing saya bernama Belang")
        found = spans(bodies)
    run = next(span for span in found if span.name == "run agent")
    tool = next(span for span in found if span.name == "tool meta")
    assert {span.trace_id for span in found} == {run.trace_id}
    assert [span.name for span in found if span.parent_span_id == run.span_id].count("model turn") == 2
    assert answer["steps"][0]["output"]["traceparent"].startswith(f"00-{tool.trace_id.hex()}-{tool.span_id.hex()}-")
    attributes = {one.key: one.value.string_value for one in run.attributes}
    assert attributes["agentd.run_id"] == answer["run_id"]
    assert not any(word in body for body in bodies for word in (b"Belang", b"Rahasia"))


def test_a_collector_that_is_away_costs_no_answer(tmp_path: Path) -> None:
    config = f'{HEAD}[telemetry]\notlp_endpoint = "http://127.0.0.1:9"\n'
    with running(tmp_path, final("Halo"), config=config) as daemon:
        assert daemon.call("Agent.run", prompt="Halo")["response"] == "Halo"
        assert daemon.kill(15) == 0
