"""The daemon's figures for Prometheus, and the wrappers that take them at the ports. It decides nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from agentd.errors import ProviderUnavailable
from agentd.messages import Catalogue, ModelReply, ModelRequest, ToolCall, ToolOutcome
from agentd.ports import ChatModel, ProgressSink, TextSink, ToolHost
from agentd.runs.records import RunRecord
from agentd.wrappers import ChatModelWrapper, ToolHostWrapper

_SECONDS = (0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)


class Metrics:
    """All counters of one daemon, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()

        def counter(name: str, description: str, *labels: str) -> Counter:
            return Counter(name, description, labels, registry=self.registry)

        self.runs = counter("agentd_runs", "Runs that ended, or stopped for an approval", "kind", "status")
        self.steps = counter("agentd_steps", "Tool calls of runs", "server", "tool", "success")
        self.tokens = counter("agentd_model_tokens", "Tokens read and written", "provider", "model", "direction")
        self.fallbacks = counter("agentd_model_fallbacks", "Providers passed over", "provider", "kind")
        self.rpc = counter(
            "agentd_rpc_calls", "JSON-RPC calls by method and error code (0: a result)", "method", "code"
        )
        self._rpc_answered: dict[tuple[str, int], int] = {}
        self.model_seconds = Histogram(
            "agentd_model_seconds", "One model turn", ("provider",), registry=self.registry, buckets=_SECONDS
        )
        self.tool_seconds = Histogram(
            "agentd_tool_seconds", "One tool call", ("server",), registry=self.registry, buckets=_SECONDS
        )
        self._active = Gauge("agentd_runs_active", "Runs queued or under way", registry=self.registry)
        self._restarts = Gauge("agentd_server_restarts", "Restarts of a server", ("server",), registry=self.registry)
        self._up = Gauge("agentd_server_up", "1 while the server answers", ("server",), registry=self.registry)

    def watch(self, active: Callable[[], int], catalogue: Callable[[], Catalogue]) -> None:
        """Where the gauges are read when somebody asks."""
        self._active.set_function(active)
        self._catalogue = catalogue

    def exposition(self) -> tuple[bytes, str]:
        """Body and content type of /metrics."""
        for server in self._catalogue().servers:
            self._restarts.labels(server.name).set(server.restarts)
            self._up.labels(server.name).set(server.state == "up")
        for (method, code), calls in self._rpc_answered.items():
            self.rpc.labels(method, str(code)).inc(calls)
        self._rpc_answered.clear()
        return generate_latest(self.registry), CONTENT_TYPE_LATEST

    def run_ended(self, row: RunRecord, result: Any) -> None:
        """The engine's observer."""
        self.runs.labels(row.kind, result.status).inc()
        for step in result.outcome.get("steps", ()):
            self.steps.labels(step.get("server") or "", step["tool"], str(step["success"]).lower()).inc()

    def rpc_answered(self, method: str, code: int) -> None:
        """The dispatcher's observer. Prometheus learns the counts when it asks: telling it of each costs a lock."""
        self._rpc_answered[method, code] = self._rpc_answered.get((method, code), 0) + 1


class MeteredModel(ChatModelWrapper):
    """A ChatModel whose turns are timed and counted."""

    def __init__(self, inner: ChatModel, metrics: Metrics) -> None:
        super().__init__(inner)
        self._metrics = metrics

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """The inner one's turn."""
        started = time.perf_counter()
        try:
            reply = await self._inner.turn(request, on_text)
        except ProviderUnavailable as error:
            for fallback in error.data.get("fallbacks", ()):
                self._metrics.fallbacks.labels(fallback["provider"], fallback["kind"]).inc()
            raise
        metrics = self._metrics
        metrics.model_seconds.labels(reply.provider).observe(time.perf_counter() - started)
        metrics.tokens.labels(reply.provider, reply.model, "input").inc(reply.usage.input_tokens)
        metrics.tokens.labels(reply.provider, reply.model, "output").inc(reply.usage.output_tokens)
        for fallback in reply.fallbacks:
            metrics.fallbacks.labels(fallback.provider, fallback.kind).inc()
        return reply


class MeteredTools(ToolHostWrapper):
    """A ToolHost whose calls are timed."""

    def __init__(self, inner: ToolHost, metrics: Metrics) -> None:
        super().__init__(inner)
        self._metrics = metrics

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """The inner one's call."""
        started = time.perf_counter()
        try:
            return await self._inner.call(call, on_progress)
        finally:
            self._metrics.tool_seconds.labels(call.tool.server).observe(time.perf_counter() - started)
