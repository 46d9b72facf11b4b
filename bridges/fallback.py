"""The fallback chain: a ChatModel that asks the next provider when one fails. The loop, not the chain, repairs answers.

`Breaker` decides from outcomes and the time, without I/O; `FallbackChain` acts on it.

A turn first asks the request's provider (or the one that has its model, or the default), then the others in the order
of client.toml. Every failure moves on to the next provider except `bad_request`, which any provider would reject, and
`blocked`, a provider's deliberate refusal: both reach the loop as ProviderFailure. Cancelling is never a failure.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentd.errors import AgentdError, FaultKind, InvalidParams, ProviderFailure, ProviderUnavailable
from agentd.messages import ChatMessage, Constraint, Fallback, ModelReply, ModelRequest, ProviderState
from agentd.ports import RESTART, ChatModel, TextChunk, TextSink

FINAL: frozenset[FaultKind] = frozenset({"bad_request", "blocked"})
"""Failures after which no other provider is asked."""
UNTIL_RELOAD: frozenset[FaultKind] = frozenset({"auth", "not_found"})
"""Failures that only a configuration change can fix."""
RATE_LIMIT_S = 30.0
"""How long a provider rests after a 429 without a retry time."""
FIRST_REST_S, LONGEST_REST_S = 30.0, 600.0
"""The rest after `TOLERATED` failures in a row; each further failure doubles it, up to the longest."""
TOLERATED = 2
HALF = 0.5
"""Share of the turn's remaining time for a provider that is not the last to ask."""


class Breaker:
    """The circuit breaker of one provider's model: closed, resting until a time, or open until a reload makes another.

    After a rest it lets one request through as a probe, whose outcome closes the breaker or doubles the rest.
    """

    def __init__(self) -> None:
        self._failures = 0
        self._rest_until = 0.0
        self._probing = False
        self.last: ProviderFailure | None = None

    def lets_through(self, now: float) -> bool:
        """True when a request may be sent at this time (monotonic seconds)."""
        return now >= self._rest_until and not self._probing

    def rests_for(self, now: float) -> float:
        """Return the seconds left of the rest: infinite until a reload, 0 when closed or while a probe is running."""
        return max(0.0, self._rest_until - now)

    def asked(self) -> None:
        """Record that a request was sent; after a rest it is the probe, and other requests wait for it."""
        self._probing = self._rest_until > 0.0

    def released(self) -> None:
        """Record that the request ended without an outcome (it was cancelled)."""
        self._probing = False

    def succeeded(self) -> None:
        """Record a success: the breaker closes."""
        self._failures, self._rest_until, self._probing, self.last = 0, 0.0, False, None

    def failed(self, failure: ProviderFailure, now: float) -> None:
        """Record a failure. Bad output and final failures don't count: they close the breaker."""
        self._probing = False
        if failure.kind == "bad_output" or failure.kind in FINAL:
            self._failures, self._rest_until, self.last = 0, 0.0, None
            return
        self.last = failure
        self._failures += 1
        if failure.kind in UNTIL_RELOAD:
            self._rest_until = float("inf")
        elif failure.kind == "rate_limit":
            self._rest_until = now + (failure.retry_after_s if failure.retry_after_s is not None else RATE_LIMIT_S)
        elif self._failures >= TOLERATED:
            self._rest_until = now + min(FIRST_REST_S * 2.0 ** (self._failures - TOLERATED), LONGEST_REST_S)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A provider to ask in this turn, with the model to use (None: its default)."""

    provider: ChatModel
    model: str | None


class FallbackChain:
    """Several providers as one ChatModel.

    Streaming: the text of a failed provider may already have gone out; `on_text` then receives `RESTART` before the
    next provider writes, and must discard what it has of this turn.

    Providers in `request.skip` are left out silently: the caller has recorded why. `reply.fallbacks` lists the
    providers passed over here, including resting ones; `reply.attempts` counts those actually asked.
    """

    def __init__(
        self,
        models: Sequence[ChatModel],
        *,
        default: str | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._models = tuple(models)
        self._default = default
        self._clock = clock
        self._breakers: dict[tuple[str, str | None], Breaker] = {}
        self._wrote: set[tuple[str, str]] = set()
        """(provider, model) of every reply: requests may name that model again even if the provider doesn't list it."""
        if default is not None:
            self._named(default)

    @property
    def provider(self) -> str:
        """The provider that is asked first."""
        return self._default or (self._models[0].provider if self._models else "none")

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """Return the first complete answer, asking the providers in order.

        Raises ProviderUnavailable with `fallbacks` (each provider's reason) and `attempts` when none answers,
        ProviderFailure when a provider's refusal is final, InvalidParams for an unknown provider or model.
        """
        candidates = self.candidates(request)
        deadline = None if request.timeout_s is None else self._clock() + request.timeout_s
        passed: list[Fallback] = []
        attempts = 0
        wrote = False

        def forward(chunk: TextChunk) -> None:
            nonlocal wrote
            wrote = True
            assert on_text is not None  # passed to providers only if the caller listens
            on_text(chunk)

        for position, candidate in enumerate(candidates):
            last = position == len(candidates) - 1
            breaker = self._breakers.setdefault((candidate.provider.provider, candidate.model), Breaker())
            if not last and not breaker.lets_through(self._clock()):
                self._pass_over(passed, candidate, self._resting(breaker))
                continue
            if wrote and on_text is not None:
                on_text(RESTART)
                wrote = False
            remaining = None if deadline is None else deadline - self._clock()
            if remaining is not None and remaining <= 0:
                self._pass_over(passed, candidate, ProviderFailure("timeout", "the turn's time was used up before it"))
                continue
            ask = request.model_copy(
                update={
                    "provider": candidate.provider.provider,
                    "model": candidate.model,
                    "attempt": request.attempt + attempts,
                    "timeout_s": remaining if remaining is None or last else remaining * HALF,
                }
            )
            attempts += 1
            try:
                reply = await self._ask(candidate.provider, ask, forward if on_text else None, breaker)
            except ProviderFailure as failure:
                if failure.kind in FINAL:
                    raise
                self._pass_over(passed, candidate, failure)
                continue
            self._wrote.add((candidate.provider.provider, reply.model))
            return reply.model_copy(update={"fallbacks": (*passed, *reply.fallbacks), "attempts": attempts})
        reasons = "; ".join(f"{one.provider}: {one.kind}: {one.message}" for one in passed)
        raise ProviderUnavailable(
            f"No provider answered (`agentd doctor` says what is missing). {reasons or 'None is left to ask.'}",
            fallbacks=[one.model_dump() for one in passed],
            attempts=attempts,
        )

    def candidates(self, request: ModelRequest) -> list[Candidate]:
        """List the providers to ask, in order; only the first gets the requested model."""
        first = self._first(request)
        order = [*([first] if first else []), *(model for model in self._models if model is not first)]
        return [
            Candidate(model, request.model if model is first else None)
            for model in order
            if model.provider not in request.skip
        ]

    def state(self) -> ProviderState:
        """The chain as one provider: `ready` when any of its providers is."""
        states = self.states()
        ready = any(state.state in ("ready", "unknown") for state in states)
        error = None if ready else "; ".join(f"{state.id}: {state.error or state.state}" for state in states)
        models = tuple(model for state in states for model in state.models)
        return ProviderState(
            id=self.provider,
            type="fallback",
            models=models,
            state="ready" if ready else "down",
            error=error,
            constraint=self._asked_first(states),
        )

    def _asked_first(self, states: Sequence[ProviderState]) -> Constraint:
        """The constraint of the provider likely to be asked next. A local one not asked yet may not be running (every
        client.toml has Ollama's address): it counts only if no other is usable."""
        able = [state for state in states if state.state in ("ready", "unknown")]
        likely = [state for state in able if state.state == "ready" or not state.local]
        return next((state.constraint for state in likely or able), "none")

    def states(self) -> tuple[ProviderState, ...]:
        """Return the providers' states in the order asked; a resting one is `cooling`, with the reason in `error`."""
        usual = sorted(self._models, key=lambda model: model.provider != self._default)
        return tuple(self._state(model) for model in usual)

    async def warm(self, prefix: Sequence[ChatMessage]) -> None:
        """Let each provider that supports it prepare the prompt's stable start. Raises ProviderFailure."""
        for model in self._models:
            if hasattr(model, "warm"):
                await model.warm(prefix)

    async def aclose(self) -> None:
        """Close every provider, even if closing another fails."""
        results = await asyncio.gather(*(model.aclose() for model in self._models), return_exceptions=True)
        errors = [result for result in results if isinstance(result, Exception)]
        if errors:
            raise ExceptionGroup("some providers did not close", errors)

    async def _ask(self, model: ChatModel, ask: ModelRequest, forward: TextSink | None, breaker: Breaker) -> ModelReply:
        """Make one attempt under its deadline and report the outcome to the breaker."""
        breaker.asked()
        try:
            async with asyncio.timeout(ask.timeout_s):
                reply = await model.turn(ask, forward)
        except TimeoutError:
            limit = "its own limit" if ask.timeout_s is None else f"{ask.timeout_s:.3g} s"
            failure = ProviderFailure("timeout", f"no whole answer within {limit}")
        except ProviderFailure as known:
            failure = known
        except (AgentdError, asyncio.CancelledError):
            breaker.released()
            raise
        except Exception as error:  # a third-party provider's bug must not end the turn
            failure = ProviderFailure("unavailable", f"the provider broke with {type(error).__name__}: {error}")
        else:
            breaker.succeeded()
            return reply
        breaker.failed(failure, self._clock())
        raise failure

    def _first(self, request: ModelRequest) -> ChatModel | None:
        """Return the provider to ask first. Raises InvalidParams if the request's provider or model is unknown."""
        if request.provider is not None:
            chosen = self._named(request.provider)
            known = [info.name for info in chosen.state().models]
            wrote = (request.provider, request.model) in self._wrote
            if request.model is not None and known and request.model not in known and not wrote:
                raise InvalidParams(
                    f"model: {chosen.provider} has no model {request.model!r}; it has {', '.join(known)}"
                )
            return chosen
        usual = self._named(self._default) if self._default else next(iter(self._models), None)
        if request.model is None or usual is None:
            return usual
        owners = [model for model in self._models if request.model in {info.name for info in model.state().models}]
        if not owners:
            known = [f"{model.provider}/{info.name}" for model in self._models for info in model.state().models]
            raise InvalidParams(f"model: no provider has a model {request.model!r}; known: {', '.join(known)}")
        return usual if usual in owners else owners[0]

    def _named(self, provider: str) -> ChatModel:
        found = next((model for model in self._models if model.provider == provider), None)
        if found is None:
            known = ", ".join(model.provider for model in self._models) or "none"
            raise InvalidParams(f"provider: no provider is named {provider!r}; configured: {known}")
        return found

    def _resting(self, breaker: Breaker) -> ProviderFailure:
        """Explain why a resting provider was not asked, quoting its last failure."""
        left = breaker.rests_for(self._clock())
        when = "until the configuration is reloaded" if left == float("inf") else f"for {left:.0f} s more"
        cause = breaker.last or ProviderFailure("unavailable", "it is being tried by another request")
        return ProviderFailure(cause.kind, f"resting {when} after: {cause.message}")

    def _pass_over(self, passed: list[Fallback], candidate: Candidate, failure: ProviderFailure) -> None:
        passed.append(Fallback(provider=candidate.provider.provider, kind=failure.kind, message=failure.message))

    def _state(self, model: ChatModel) -> ProviderState:
        state = model.state()
        breaker = self._breakers.get((model.provider, None))
        if breaker is None or breaker.last is None or state.state in ("no_key", "down"):
            return state
        if breaker.rests_for(self._clock()) == 0.0:
            return state.model_copy(update={"error": breaker.last.message})
        return state.model_copy(update={"state": "cooling", "error": self._resting(breaker).message})
