"""The embedded provider (`type = "llamacpp"`): a ChatModel on this machine's CPU. It downloads nothing.

The weights load at the first turn or by `warm`, never before.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field

from agentd.errors import ProviderFailure
from agentd.messages import (
    ChatMessage,
    Constraint,
    ModelInfo,
    ModelReply,
    ModelRequest,
    ProviderSettings,
    ProviderState,
    Usage,
)
from agentd.ports import TextChunk, TextSink
from bridges.hosted import OwnKeys
from bridges.llamacpp import constraint
from bridges.llamacpp.engine import Answer, Engine, Stopped
from bridges.llamacpp.snapshots import SnapshotFolder
from bridges.llamacpp.weights import DEFAULT, WeightsFolder

CLOSE_S = 2.0
"""How long closing waits for the current batch."""
T = TypeVar("T")


class LlamaCppKeys(OwnKeys):
    """The embedded model's own keys in client.toml."""

    path: str | None = None
    """A GGUF file instead of a pulled model, from the folder of client.toml."""
    n_ctx: int = Field(default=8192, ge=1)
    threads: int | None = Field(default=None, ge=1)
    """Default: the cores that this process may use, at most 8."""
    repack: bool = True
    """Write a third faster, for 0.6 GB more memory and 1 s more loading."""
    warm: bool = False
    """Load at the daemon's start (agentd/cli/serve.py reads it), not at the first turn."""


class LlamaCppModel:
    """One model in memory; turns run one at a time, in order. Cancelling returns to the caller at once and frees the
    cores at the end of the current batch (64 tokens)."""

    def __init__(self, settings: ProviderSettings) -> None:
        """Raises ValidationError for a key of its own with a value of the wrong kind."""
        self._settings = settings
        self._own = own = LlamaCppKeys.model_validate(settings.settings)
        self._model = settings.model or DEFAULT
        self._folder = self.weights()
        self._path = Path(settings.config_dir) / own.path if own.path else self._folder.path(self._model)
        self._timeout_s = settings.timeout_s if "timeout_s" in settings.model_fields_set else None
        self._worker: ThreadPoolExecutor | None = None
        self._engine: Engine | None = None
        self._stops: set[threading.Event] = set()

    @staticmethod
    def weights() -> WeightsFolder:
        """Return the folder of pulled weights, for `agentd models pull|list|rm`."""
        return WeightsFolder.from_environment()

    @property
    def provider(self) -> str:
        """The provider's id in client.toml."""
        return self._settings.id

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """Answer one turn, constrained by the request's schema or grammar.

        Raises ProviderFailure: `not_found` (no weights yet), `timeout`, `bad_request` (longer than the context, a
        grammar that does not compile), `bad_output` (nothing written, or a constrained answer cut at max_tokens).
        """
        self._require(request.model)
        if request.json_schema is not None and (text := constraint.only_text(request.json_schema)) is not None:
            return self._forced(text, on_text)
        body: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
        }
        constrained = request.grammar is not None or request.json_schema is not None

        def work(engine: Engine, emit: Callable[[str], None], stop: Callable[[], bool]) -> Answer:
            if request.grammar is not None:
                body["grammar"] = constraint.from_grammar(request.grammar)
            elif request.json_schema is not None:
                body["grammar"] = constraint.from_schema(request.json_schema)
            key = engine.read_prefix(request.messages[: request.stable], stop)
            return engine.write(body, key, emit, stop)

        answer = await self._on_worker(work, on_text, request.timeout_s)
        if answer.cut and constrained:
            raise ProviderFailure("bad_output", f"the answer was cut after {answer.written} tokens")
        if not answer.text:
            raise ProviderFailure("bad_output", "the model wrote nothing")
        usage = Usage(input_tokens=answer.cached + answer.read, output_tokens=answer.written)
        kept_to: Constraint = "none"
        if constrained:
            kept_to = "grammar" if request.grammar is not None else "json_schema"
        return ModelReply(
            text=answer.text,
            provider=self.provider,
            model=self._model,
            usage=usage,
            read=answer.read,
            cut=answer.cut,
            constraint=kept_to,
        )

    def _forced(self, text: str, on_text: TextSink | None) -> ModelReply:
        """Return the only text that the schema allows, without running the model."""
        if on_text is not None:
            on_text(TextChunk(text))
        return ModelReply(text=text, provider=self.provider, model=self._model, read=0, constraint="json_schema")

    async def warm(self, messages: Sequence[ChatMessage]) -> None:
        """Load the weights and process these leading messages, so that the first turn starts at once.

        Reading them takes half a minute once; after that every new process uses their snapshot. Raises ProviderFailure
        as `turn` does.
        """
        self._require(None)

        def work(engine: Engine, _: Callable[[str], None], stop: Callable[[], bool]) -> None:
            engine.warm_up(constraint.from_schema(constraint.ANY_OBJECT), stop)
            engine.read_prefix(messages, stop)

        await self._on_worker(work, None, None)

    def state(self) -> ProviderState:
        """Report `ready` if library and weights are there (loaded or not), else `down` with the command to run."""
        named = next((info for info in self._settings.models if info.name == self._model), None)
        models = (named or ModelInfo(name=self._model),)
        error = self._missing()
        state: Any = "down" if error else "ready"
        return ProviderState(
            id=self.provider,
            type=self._settings.type,
            models=models,
            state=state,
            error=error,
            constraint="grammar",
            context_tokens=self._own.n_ctx,
            local=True,
        )

    async def aclose(self) -> None:
        """Stop the current generation and release the weights."""
        worker, self._worker = self._worker, None
        if worker is None:
            return
        for stop in self._stops:
            stop.set()
        engine, self._engine = self._engine, None
        if engine is not None:
            closing = asyncio.get_running_loop().run_in_executor(worker, engine.close)
            await asyncio.wait((closing,), timeout=CLOSE_S)
            closing.cancel()  # a load under way can't be stopped: its thread ends by itself
        worker.shutdown(wait=False)

    async def _on_worker(
        self,
        work: Callable[[Engine, Callable[[str], None], Callable[[], bool]], T],
        on_text: TextSink | None,
        timeout_s: float | None,
    ) -> T:
        """Run blocking work on the engine's thread; a cancel or timeout stops it."""
        loop = asyncio.get_running_loop()
        left = threading.Event()

        def deliver(text: str) -> None:
            if on_text is not None and not left.is_set():
                on_text(TextChunk(text))

        def emit(text: str) -> None:
            if on_text is not None and not left.is_set():
                loop.call_soon_threadsafe(deliver, text)

        stop = partial(_stops, left)

        def unless_stopped(engine: Engine) -> T:
            if stop():
                raise Stopped
            return work(engine, emit, stop)

        worker, engine = self._started()
        limits = [limit for limit in (timeout_s, self._timeout_s) if limit is not None]
        self._stops.add(left)
        try:
            async with asyncio.timeout(min(limits, default=None)):
                return await loop.run_in_executor(worker, unless_stopped, engine)
        except TimeoutError:
            raise ProviderFailure("timeout", f"no whole answer within {min(limits):g} s") from None
        except Stopped:
            raise ProviderFailure("unavailable", "the embedded model is being shut down") from None
        finally:
            left.set()
            self._stops.discard(left)

    def _started(self) -> tuple[ThreadPoolExecutor, Engine]:
        if self._worker is None or self._engine is None:
            self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="llamacpp")
            snapshots = SnapshotFolder(self._folder.folder / "snapshots")
            own, threads = self._own, self._own.threads or min(_cores(), 8)
            self._engine = Engine(self._path, n_ctx=own.n_ctx, threads=threads, repack=own.repack, snapshots=snapshots)
        return self._worker, self._engine

    def _require(self, model: str | None) -> None:
        if model is not None and model != self._model:
            raise ProviderFailure("not_found", f"{model}: this provider holds {self._model} only")
        if missing := self._missing():
            raise ProviderFailure("not_found", missing)

    def _missing(self) -> str | None:
        """Return what must be installed or fetched first, or None."""
        if lacking := [module for module in ("xllamacpp", "llguidance") if find_spec(module) is None]:
            return f"not installed: {', '.join(lacking)}; run: pip install 'agentd[embedded]'"
        if self._path.is_file():
            return None
        if self._own.path:
            return f"no weights at the `path` of provider {self.provider} ({self._path.name})"
        return f"the weights of {self._model} are not on this machine; run `agentd models pull`"


def _stops(left: threading.Event) -> bool:
    """Whether the caller has left, or the interpreter is exiting, which an abandoned generation must not delay."""
    return left.is_set() or not threading.main_thread().is_alive()


def _cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
