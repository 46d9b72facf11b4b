"""Blocking calls to the xllamacpp server, for one thread. It uses no asyncio and doesn't know who asks.

One slot, one caller: two slots on the same cores only make both slower. All methods block; `model.py` calls them on its
own thread. The library releases the GIL, except while it loads the weights.
"""

from __future__ import annotations

import http.client
import json
import os
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agentd.errors import ProviderFailure
from agentd.messages import ChatMessage
from bridges.llamacpp.mortal import mortal
from bridges.llamacpp.snapshots import SnapshotFolder, prefix_key, worth_keeping

BATCH = 64
"""Tokens read between two checks for a stop (about 1 s on two cores); larger batches are hardly faster on a CPU."""
MEMORY_CACHE_MIB = 512
"""MiB for prompts that the library keeps in memory besides the current one (its own default is 8192)."""
LET_GO_S = 0.2
SHARED = 0.25
"""The library reuses a prompt in memory only if the request shares at least this part of it."""
_ASIDE: dict[str, Any] = {"messages": [{"role": "user", "content": "."}], "max_tokens": 1, "temperature": 0}
"""The shortest possible request."""


class Stopped(Exception):
    """The caller asked to stop, and the engine did."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model wrote. Of `cached` + `read` prompt tokens only `read` were processed; `cut` if at a limit."""

    text: str
    cached: int
    read: int
    written: int
    cut: bool


class Engine:
    """The weights in memory, with one slot. Loads nothing before `read_prefix`, `warm_up` or `write`."""

    def __init__(self, weights: Path, *, n_ctx: int, threads: int, repack: bool, snapshots: SnapshotFolder) -> None:
        self._weights = weights
        self._n_ctx = n_ctx
        self._threads = threads
        self._repack = repack
        self._snapshots = snapshots
        self._server: Any = None
        self._api_key = secrets.token_urlsafe(24)
        self._tokens: dict[str, int] = {}
        """Tokens of each prefix read or restored in this process, by key."""
        self._in_memory: set[str] = set()
        """Keys of the prefixes that the library finds in its memory by itself."""
        self._last: str | None = None
        """The key of the prefix that the slot holds."""
        self._untried: str | None = None
        """The key restored last, until a request has shown that its state is usable."""
        self._used = False

    def read_prefix(self, prefix: Sequence[ChatMessage], stop: Callable[[], bool]) -> str | None:
        """Get the prefix processed: from memory, from its snapshot, or by reading it and saving a snapshot.

        Returns its key, or None if it is too short to be kept. Raises Stopped, ProviderFailure.
        """
        if not worth_keeping(prefix):
            return None
        self._load()
        key = prefix_key(self._weights, self._n_ctx, str(library().__version__), prefix)
        if key == self._last or key in self._in_memory:
            return key
        if not self._restore(key):
            messages = [{"role": each.role, "content": each.content} for each in prefix]
            answer = self._chat({"messages": messages, "max_tokens": 1, "temperature": 0}, _unheard, stop)
            self._tokens[key] = answer.cached + answer.read
            self._save(key)
        self._in_memory.add(key)
        return key

    def warm_up(self, grammar: str, stop: Callable[[], bool]) -> None:
        """Load the weights and do what the first answer of a process would otherwise wait for.

        This touches every weight and builds the library's tables for grammars. Raises Stopped, ProviderFailure.
        """
        if self._server is None:
            self._load()
            self._chat({**_ASIDE, "grammar": grammar}, _unheard, stop)
            self._used = False  # the slot holds nothing worth keeping

    def write(
        self, body: dict[str, Any], key: str | None, emit: Callable[[str], None], stop: Callable[[], bool]
    ) -> Answer:
        """Answer one chat request (OpenAI's format); `key` is from `read_prefix`, for the prefix that it starts with.

        Raises Stopped, and ProviderFailure: `bad_request` when the library refuses it, `unavailable` otherwise.
        """
        self._load()
        answer = self._chat(body, emit, stop)
        if key is not None:
            used = answer.cached >= self._tokens[key] // 2
            if not used and key == self._untried:
                self._snapshots.discard(key)  # restored but not used: the snapshot is unusable, read the prefix again
            if not used or self._tokens[key] < SHARED * (answer.cached + answer.read + answer.written):
                # Evicted from memory, or too small a part of what memory holds: restore it next time.
                self._in_memory.discard(key)
        self._last, self._untried = key, None
        return answer

    def close(self) -> None:
        """Release the weights.

        Sleep first: the library holds the GIL while it waits for its threads, and such a thread may need the GIL to
        drop the last answer's callback. This deadlock has happened once.
        """
        if self._server is not None:
            time.sleep(LET_GO_S)
        self._server = self._last = None
        self._in_memory.clear()

    def _load(self) -> None:
        if self._server is not None:
            return
        xllamacpp = library()
        self._snapshots.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        params = xllamacpp.CommonParams()
        params.model.path = str(self._weights)
        params.n_ctx = self._n_ctx
        params.n_parallel = 1
        params.n_batch = params.n_ubatch = BATCH
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._threads
        params.cache_ram_mib = MEMORY_CACHE_MIB
        params.slot_save_path = f"{self._snapshots.folder}/"
        params.api_keys = [self._api_key]  # it opens a loopback port; only we may use it
        params.no_extra_bufts = not self._repack
        params.fit_params = False  # would load a trial model for 2 s to choose n_ctx, which we set
        params.verbosity = 0
        params.warmup = False
        try:
            with mortal():
                self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            advice = "fetch them again: `agentd models rm`, then `agentd models pull`"
            raise ProviderFailure("unavailable", f"cannot load {self._weights.name} ({error}); {advice}") from None

    def _chat(self, body: dict[str, Any], emit: Callable[[str], None], stop: Callable[[], bool]) -> Answer:
        pieces: list[str] = []
        last: dict[str, Any] = {}
        errors: list[dict[str, Any]] = []
        stopped = False

        def on_chunk(chunk: dict[str, Any]) -> bool:
            nonlocal stopped
            if "error" in chunk:
                errors.append(chunk["error"])
                return True
            if text := "".join(choice["delta"].get("content") or "" for choice in chunk["choices"]):
                pieces.append(text)
                emit(text)
            last.update(chunk.get("timings") or {})
            stopped = stop()
            return stopped

        if stop():
            raise Stopped
        self._used, self._last = True, None
        streaming = {"stream": True, "return_progress": True, "stream_options": {"include_usage": True}}
        try:
            returned = self._server.handle_chat_completions({**body, **streaming}, on_chunk)
        except ValueError as error:
            raise ProviderFailure("bad_request", f"the embedded model refused the request: {error}") from None
        if isinstance(returned, dict) and "error" in returned:
            errors.append(returned["error"])
        if errors:
            raise _failure(errors[0])
        if stopped:
            raise Stopped
        if not last:
            raise ProviderFailure("unavailable", "the embedded model broke off before it had finished")
        cached, read, written = int(last["cache_n"]), int(last["prompt_n"]), int(last["predicted_n"])
        full = cached + read + written >= self._n_ctx - 1  # the library reports both ends as "stop"
        return Answer("".join(pieces), cached, read, written, cut=full or written >= body["max_tokens"])

    def _restore(self, key: str) -> bool:
        if not self._snapshots.usable(key):
            return False
        if self._used:
            # Restoring overwrites the slot. Reading something else first makes the library keep the slot in memory.
            self._chat(_ASIDE, _unheard, lambda: False)
        answer = self._slot("restore", SnapshotFolder.file_name(key))
        if answer is None:
            self._snapshots.discard(key)
            return False
        self._tokens[key] = int(answer["n_restored"])
        self._untried = key
        return True

    def _save(self, key: str) -> None:
        """Save a snapshot if possible; without it (disk full) the next process reads the prompt again."""
        draft = self._snapshots.draft(key, os.getpid())
        if self._slot("save", draft) is not None:
            self._snapshots.publish(key, draft)

    def _slot(self, action: str, file_name: str) -> dict[str, Any] | None:
        """Save or restore the slot through the library's loopback port; None if it fails."""
        connection = http.client.HTTPConnection(urlsplit(self._server.listening_address).netloc, timeout=30)
        try:
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._api_key}"}
            body = json.dumps({"filename": file_name})
            connection.request("POST", f"/slots/0?action={action}", body, headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()
        return answer if response.status == 200 else None


def _unheard(_: str) -> None:
    """Discard text that nobody reads."""


def library() -> Any:
    """Import xllamacpp so that its threads sleep while they wait for each other.

    By default they spin: on a busy core a waiting thread then keeps the thread it waits for from running. OpenMP reads
    the variable once, when it is loaded; a value already set is kept.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    return xllamacpp


def _failure(error: dict[str, Any]) -> ProviderFailure:
    message = str(error.get("message", "no reason given"))
    if error.get("type") == "exceed_context_size_error":
        message = f"{message} (`n_ctx` of the llamacpp provider in client.toml)"
    rejected = 400 <= int(error.get("code", 500)) < 500
    return ProviderFailure("bad_request" if rejected else "unavailable", message)
