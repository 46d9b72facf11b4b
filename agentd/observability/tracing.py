"""OpenTelemetry traces of runs, model turns and tool calls, by wrappers at the ports. Off unless configured.

A run is a span, with a child span for each model turn and tool call; a tool call's trace context is sent to its MCP
server. Spans hold names, ids, counts and times, but no citizens' words.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from agentd.errors import ProviderUnavailable
from agentd.messages import Catalogue, ModelReply, ModelRequest, ToolCall, ToolOutcome
from agentd.ports import ChatModel, ChatModelWrapper, ProgressSink, TextSink, ToolHost
from agentd.runs.execution import Executor, Result, RunContext

EXPORT_S = 5.0
"""Seconds that one export may take, including the last one at the stop."""
_propagator = TraceContextTextMapPropagator()


class Traces:
    """One daemon's tracer. The process's global tracer is not changed."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("agentd", version("agentd"))

    def executor(self, inner: Executor) -> Executor:
        """Wrap the executor so that each segment of a run is a span, the parent of its turns and calls."""

        async def execute(context: RunContext) -> Result:
            row = context.row
            ids = {"agentd.run_id": row.run_id, "agentd.session_id": row.session_id}
            with self.span(f"run {row.kind}", SpanKind.SERVER, {**ids, "agentd.segment": row.segment}) as span:
                result = await inner(context)
                span.set_attribute("agentd.status", result.status)
                if result.error is not None:
                    span.set_status(Status(StatusCode.ERROR, result.error.type))
                return result

        return execute

    @contextmanager
    def span(self, name: str, kind: SpanKind, attributes: Mapping[str, Any]) -> Iterator[Span]:
        """A span that records only an exception's type, since its text may quote a citizen."""
        with self._tracer.start_as_current_span(
            name, kind=kind, attributes=dict(attributes), record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except BaseException as error:
                span.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise


@asynccontextmanager
async def tracing(endpoint: str) -> AsyncIterator[Traces]:
    """Send traces to an OTLP/HTTP collector (`http://host:4318`) while the block runs; flushes them at its end."""
    whole = endpoint if urlsplit(endpoint).path.strip("/") else endpoint.rstrip("/") + "/v1/traces"
    provider = TracerProvider(
        resource=Resource.create({"service.name": "agentd", "service.version": version("agentd")}),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=whole, timeout=EXPORT_S)))
    try:
        yield Traces(provider)
    finally:
        await asyncio.to_thread(provider.shutdown)


class TracedModel(ChatModelWrapper):
    """A ChatModel whose turns are recorded as spans."""

    def __init__(self, inner: ChatModel, traces: Traces) -> None:
        super().__init__(inner)
        self._traces = traces

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        with self._traces.span("model turn", SpanKind.CLIENT, {"agentd.attempt": request.attempt}) as span:
            try:
                reply = await self._inner.turn(request, on_text)
            except ProviderUnavailable as error:
                _note_fallbacks(span, error.data.get("fallbacks", ()))
                raise
            span.set_attribute("gen_ai.provider.name", reply.provider)
            span.set_attribute("gen_ai.request.model", reply.model)
            span.set_attribute("gen_ai.usage.input_tokens", reply.usage.input_tokens)
            span.set_attribute("gen_ai.usage.output_tokens", reply.usage.output_tokens)
            _note_fallbacks(span, [fallback.model_dump() for fallback in reply.fallbacks])
            return reply


class TracedTools:
    """A ToolHost whose calls are recorded as spans; the call's `trace` passes the context on."""

    def __init__(self, inner: ToolHost, traces: Traces) -> None:
        self._inner = inner
        self._traces = traces

    def catalogue(self) -> Catalogue:
        return self._inner.catalogue()

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        about = {"agentd.server": call.tool.server, "gen_ai.tool.name": call.tool.name, "agentd.step": call.step}
        with self._traces.span(f"tool {call.tool.name}", SpanKind.CLIENT, about) as span:
            carried: dict[str, str] = {}
            _propagator.inject(carried, context=trace.set_span_in_context(span))
            outcome = await self._inner.call(call.model_copy(update={"trace": carried}), on_progress)
            if not outcome.success:
                span.set_status(Status(StatusCode.ERROR, outcome.error_type or "tool_execution"))
            return outcome


def _note_fallbacks(span: Span, fallbacks: Any) -> None:
    for fallback in fallbacks:
        span.add_event("fallback", {"provider": fallback["provider"], "kind": fallback["kind"]})
