"""The models of an Ollama server: makes the server fetch, list and delete them on its own machine. It asks no model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any
from urllib.parse import urlsplit

from agentd.messages import ProviderSettings
from bridges.hosted import CONNECT_S, LOOPBACK, PLAIN

ENDPOINT = "http://127.0.0.1:11434"
SILENT_S = 300.0
"""A pull fails after this long without data."""


def reached(settings: ProviderSettings) -> dict[str, Any]:
    """Return the arguments for Ollama's client: host, headers, no proxy for an address on this machine.

    For plain HTTP on this machine it loads no certificate authorities, which would take 30 ms at each start.
    """
    host = (settings.endpoint or ENDPOINT).rstrip("/").removesuffix("/api").removesuffix("/v1")
    headers = PLAIN | ({"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {})
    address = urlsplit(host)
    here = address.hostname in LOOPBACK
    trusted = {"verify": SSLContext(PROTOCOL_TLS_CLIENT)} if here and address.scheme == "http" else {}
    return {"host": host, "headers": headers, "trust_env": not here, **trusted}


class OllamaWeights:
    """A weights store (agentd/apps/setup/models_command.py) on Ollama's HTTP API."""

    any_name = True

    def __init__(self, settings: ProviderSettings) -> None:
        self._settings = settings
        self.folder = Path(settings.endpoint or ENDPOINT)

    def names(self) -> tuple[str, ...]:
        """Return the models that client.toml names for this provider; others can be pulled too."""
        return tuple(
            dict.fromkeys(filter(None, (self._settings.model, *(info.name for info in self._settings.models))))
        )

    def pulled(self) -> list[tuple[str, Path, int]]:
        """Return the models on the server as (name, address, bytes); empty if no server answers."""
        try:
            listed = self._client().list()
        except (ConnectionError, OSError):
            return []
        return [(str(model.model), self.folder, int(model.size or 0)) for model in listed.models]

    def pull(self, name: str, progress: Callable[[int, int], None], note: Callable[[str], None]) -> Path:
        """Make the server fetch the model. Raises the client's errors, whose text is for the user."""
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
        """Delete the model on the server; return its size in bytes."""
        size = next((size for pulled, _, size in self.pulled() if pulled == name), 0)
        self._client().delete(name)
        return size

    def _client(self) -> Any:
        import httpx
        import ollama

        return ollama.Client(**reached(self._settings), timeout=httpx.Timeout(SILENT_S, connect=CONNECT_S))
