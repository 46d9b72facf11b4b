"""The daemon's metrics for Prometheus, and a model wrapper that measures turns."""

from __future__ import annotations

import math
import time
from collections import Counter as Totals
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import structlog
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from sqlalchemy.exc import SQLAlchemyError

from agentd.errors import AgentdError, ProviderUnavailable
from agentd.messages import Catalogue, ModelReply, ModelRequest, ProviderSettings
from agentd.ports import ChatModel, ChatModelWrapper, TextSink
from agentd.runs.records import RunRecord
from agentd.runs.usage import DayUsage, UsageLog
from hardening.logs import Due

log = structlog.get_logger("agentd")
DAYS = 7
"""The number of days whose usage is shown."""
UNKNOWN = "unknown"
"""The currency of a cost that is unknown because no price is configured."""
_SECONDS = (0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)


class Metrics:
    """All metrics of one daemon, in their own registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        counter, gauge = partial(Counter, registry=self.registry), partial(Gauge, registry=self.registry)
        seconds = partial(Histogram, registry=self.registry, buckets=_SECONDS)
        of_day = ("day", "provider", "model")
        ended = "Runs that ended, or stopped for an approval"
        by_code = "JSON-RPC calls by method and error code (0: a result)"
        cost = "What a day's tokens cost by [[providers]] price; NaN in the currency unknown without one"
        self.runs = counter("agentd_runs", ended, ("kind", "status"))
        self.steps = counter("agentd_steps", "Tool calls of runs", ("server", "tool", "success"))
        self.tokens = counter("agentd_model_tokens", "Tokens read and written", ("provider", "model", "direction"))
        self.fallbacks = counter("agentd_model_fallbacks", "Providers passed over", ("provider", "kind"))
        self.rpc = counter("agentd_rpc_calls", by_code, ("method", "code"))
        self._rpc_answered: Totals[tuple[str, int]] = Totals()
        self.model_seconds = seconds("agentd_model_seconds", "One model turn", ("provider",))
        self.tool_seconds = seconds("agentd_tool_seconds", "One tool call", ("server",))
        self._active = gauge("agentd_runs_active", "Runs queued or under way")
        self._restarts = gauge("agentd_server_restarts", "Restarts of a server", ("server",))
        self._up = gauge("agentd_server_up", "1 while the server answers", ("server",))
        self._day_turns = gauge("agentd_day_turns", "Model turns of a day", of_day)
        self._day_tokens = gauge("agentd_day_tokens", "Tokens of a day", (*of_day, "direction"))
        self._day_cost = gauge("agentd_day_cost", cost, (*of_day, "currency"))
        self._due = Due()

    def watch(
        self,
        active: Callable[[], int],
        catalogue: Callable[[], Catalogue],
        usage: UsageLog,
        providers: Callable[[], Sequence[ProviderSettings]],
    ) -> None:
        """Set the sources that the gauges read at each request."""
        self._active.set_function(active)
        self._catalogue, self.usage, self._providers = catalogue, usage, providers

    async def exposition(self) -> tuple[bytes, str]:
        """The body and content type of /metrics."""
        try:
            self._show_days(await self.usage.days(DAYS))
        except (AgentdError, OSError, SQLAlchemyError) as error:  # the other metrics are still shown
            if self._due.now(type(error).__name__):
                log.warning("usage.not_read", error=type(error).__name__)
        for server in self._catalogue().servers:
            self._restarts.labels(server.name).set(server.restarts)
            self._up.labels(server.name).set(server.state == "up")
        for (method, code), calls in self._rpc_answered.items():
            self.rpc.labels(method, str(code)).inc(calls)
        self._rpc_answered.clear()
        return generate_latest(self.registry), CONTENT_TYPE_LATEST

    def _show_days(self, days: list[DayUsage]) -> None:
        prices = {provider.id: provider.price for provider in self._providers()}
        for gauge in (self._day_turns, self._day_tokens, self._day_cost):
            gauge.clear()
        for one in days:
            key = (one.day, one.provider, one.model)
            self._day_turns.labels(*key).set(one.turns)
            self._day_tokens.labels(*key, "input").set(one.input_tokens)
            self._day_tokens.labels(*key, "output").set(one.output_tokens)
            price = prices.get(one.provider)
            cost = price.cost(one.input_tokens, one.output_tokens) if price else math.nan
            self._day_cost.labels(*key, price.currency if price else UNKNOWN).set(cost)

    def run_ended(self, row: RunRecord, result: Any) -> None:
        """Count a run and its steps; the engine's observer."""
        self.runs.labels(row.kind, result.status).inc()
        for step in result.outcome.get("steps", ()):
            self.steps.labels(step.get("server") or "", step["tool"], str(step["success"]).lower()).inc()

    def rpc_answered(self, method: str, code: int) -> None:
        """Count a JSON-RPC call; the dispatcher's observer. `exposition` passes the counts on, as each needs a lock."""
        self._rpc_answered[method, code] += 1


class MeteredModel(ChatModelWrapper):
    """A ChatModel whose turns are timed and counted."""

    def __init__(self, inner: ChatModel, metrics: Metrics) -> None:
        super().__init__(inner)
        self._metrics = metrics

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        started = time.perf_counter()
        try:
            reply = await self._inner.turn(request, on_text)
        except ProviderUnavailable as error:
            for fallback in error.data.get("fallbacks", ()):
                self._metrics.fallbacks.labels(fallback["provider"], fallback["kind"]).inc()
            raise
        metrics = self._metrics
        metrics.usage.add(reply)
        metrics.model_seconds.labels(reply.provider).observe(time.perf_counter() - started)
        metrics.tokens.labels(reply.provider, reply.model, "input").inc(reply.usage.input_tokens)
        metrics.tokens.labels(reply.provider, reply.model, "output").inc(reply.usage.output_tokens)
        for fallback in reply.fallbacks:
            metrics.fallbacks.labels(fallback.provider, fallback.kind).inc()
        return reply
