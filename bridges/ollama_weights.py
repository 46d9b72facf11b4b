"""The models that an Ollama server holds: fetched, listed and deleted by it, on its own machine. It asks no model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any
from urllib.parse import urlsplit

from agentd.messages import ProviderSettings
from bridges.hosted import CONNECT_S, LOOPBACK

ENDPOINT = "http://127.0.0.1:11434"
SILENT_S = 300.0
"""A pull that brings nothing for so long has failed."""


def reached(settings: ProviderSettings) -> dict[str, Any]:
    """How Ollama's client reaches the server: host, headers, no proxy on the way to this machine's own.

    Without TLS it trusts no authority, as reading all of httpx's takes 30 ms of each start.
    """
    host = (settings.endpoint or ENDPOINT).rstrip("/").removesuffix("/api").removesuffix("/v1")
    headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
    address = urlsplit(host)
    here = address.hostname in LOOPBACK
    trusted = {"verify": SSLContext(PROTOCOL_TLS_CLIENT)} if here and address.scheme == "http" else {}
    return {"host": host, "headers": headers, "trust_env": not here, **trusted}


class OllamaWeights:
    """A weights store (agentd/apps/setup/models_command.py) behind Ollama's HTTP API."""

    any_name = True

    def __init__(self, settings: ProviderSettings) -> None:
        self._settings = settings
        self.folder = Path(settings.endpoint or ENDPOINT)

    def names(self) -> tuple[str, ...]:
        """The models that client.toml names for this provider; any other name can be pulled as well."""
        return tuple(
            dict.fromkeys(filter(None, (self._settings.model, *(info.name for info in self._settings.models))))
        )

    def pulled(self) -> list[tuple[str, Path, int]]:
        """What the server has; nothing where none answers."""
        try:
            listed = self._client().list()
        except (ConnectionError, OSError):
            return []
        return [(str(model.model), self.folder, int(model.size or 0)) for model in listed.models]

    def pull(self, name: str, progress: Callable[[int, int], None], note: Callable[[str], None]) -> Path:
        """Have the server fetch it. Raises its client's errors, whose text is for the person who asked."""
        said, layers = "", dict[str, tuple[int, int]]()
        for step in self._client().pull(name, stream=True):
            if step.digest and step.total:
                layers[step.digest] = (step.completed or 0, step.total)
                progress(sum(done for done, _ in layers.values()), sum(total for _, total in layers.values()))
            elif step.status and step.status != said:
                said = step.status
                note(said)
        if said != "success":
            raise RuntimeError(f"Ollama ended its answer without `success` (last: {said or 'nothing'})")
        return self.folder

    def remove(self, name: str) -> int:
        """Delete it there; the bytes that it had."""
        size = next((size for pulled, _, size in self.pulled() if pulled == name), 0)
        self._client().delete(name)
        return size

    def _client(self) -> Any:
        import httpx
        import ollama

        return ollama.Client(**reached(self._settings), timeout=httpx.Timeout(SILENT_S, connect=CONNECT_S))
