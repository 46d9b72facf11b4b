"""`agentd models pull|list|rm`: manages model weights on this machine. It runs no model.

A provider type (entry-point group `agentd.models`) with local weights has a static method `weights`; one whose server
keeps them has `remote_weights(settings)`, which is called for each such provider in client.toml.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from agentd.cli import register_words
from agentd.errors import CommandError
from agentd.installed import installed

MEGABYTE = 1_000_000


class WeightsStore(Protocol):
    """What a provider type's `weights()` returns: a store of model files that can fetch, list and delete them."""

    folder: Path

    def names(self) -> tuple[str, ...]:
        """The models that can be pulled, the default first."""
        ...

    def pulled(self) -> list[tuple[str, Path, int]]:
        """(name, file, bytes) of each local model."""
        ...

    def pull(self, name: str, progress: Callable[[int, int], None], note: Callable[[str], None]) -> Path:
        """Fetch a model and return its file. Raises an exception whose text is for the user."""
        ...

    def remove(self, name: str) -> int:
        """Delete a model and return the bytes freed. Raises an exception whose text is for the user."""
        ...


def register(subparsers: Any) -> None:
    """Add the `models` command."""
    parser = subparsers.add_parser("models", help="fetch, list and remove model weights; serve a model over HTTP")
    commands = parser.add_subparsers(dest="models_command", required=True, metavar="COMMAND")

    pull = commands.add_parser("pull", help="fetch a model's weights (resumes a download, verifies SHA-256)")
    pull.add_argument("name", nargs="?", help="default: the embedded model")
    pull.set_defaults(run=_pull)

    listing = commands.add_parser("list", help="list local models and those that can be pulled")
    listing.set_defaults(run=_list)

    remove = commands.add_parser("rm", help="delete a model's weights and the snapshots made with them")
    remove.add_argument("name", nargs="?", help="default: the embedded model")
    remove.set_defaults(run=_remove)

    register_words("models", commands)


def _pull(arguments: argparse.Namespace) -> int:
    store, name = _store_of(arguments.name)
    progress = _Progress()
    try:
        path = store.pull(name, progress.moved, progress.note)
    except KeyboardInterrupt:
        progress.note("stopped; the next `agentd models pull` resumes here")
        return 130
    except Exception as error:
        raise CommandError(f"pull {name}: {error}") from error
    finally:
        progress.end()
    print(path)
    return 0


def _list(_arguments: argparse.Namespace) -> int:
    for store in _stores():
        here = store.pulled()
        for name, path, size in here:
            print(f"{name}\t{size / MEGABYTE:.0f} MB\t{path}")
        names = {name for name, _, _ in here}
        for name in store.names():
            if name not in names:
                print(f"{name}\tnot pulled\tagentd models pull {name}")
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    store, name = _store_of(arguments.name)
    try:
        freed = store.remove(name)
    except Exception as error:
        raise CommandError(f"rm {name}: {error}") from error
    print(f"{name}: {freed / MEGABYTE:.0f} MB freed")
    return 0


def _stores() -> Iterator[WeightsStore]:
    for entry in installed("agentd.models").values():
        try:
            weights = getattr(entry.load(), "weights", None)
        except ImportError as error:
            print(f"agentd models: provider type {entry.name} cannot be loaded: {error}", file=sys.stderr)
            continue
        if weights is not None:
            yield weights()
    yield from _remote_stores()


def _remote_stores() -> Iterator[WeightsStore]:
    """The stores of the servers in client.toml; none if it can't be read (`agentd config check` says why)."""
    from agentd import config
    from agentd.errors import ConfigError

    try:
        providers = config.load().providers
    except ConfigError:
        return
    for provider in providers:
        entry = installed("agentd.models").get(provider.type)
        remote = getattr(entry.load(), "remote_weights", None) if entry is not None else None
        if remote is not None:
            yield remote(provider)


def _store_of(name: str | None) -> tuple[WeightsStore, str]:
    """The store that lists, has or can fetch this model, and the model's name; the first store's default without one.

    Raises CommandError if no store fits.
    """
    stores = list(_stores())
    for store in stores:
        if name is None:
            return store, store.names()[0]
        if name in store.names() or name in {pulled for pulled, _, _ in store.pulled()}:
            return store, name
    for store in stores:
        if ":" in (name or "") and getattr(store, "any_name", False):  # Ollama fetches any `NAME:TAG`
            return store, str(name)
    known = ", ".join(known for store in stores for known in store.names())
    raise CommandError(f"no model is named {name}; known: {known or 'none'}")


class _Progress:
    """Shows a download's progress: one updated line on a terminal, else a line at every tenth."""

    def __init__(self) -> None:
        self._person = sys.stderr.isatty()
        self._shown = -1
        self._open = False

    def moved(self, done: int, total: int) -> None:
        share = done * (100 if self._person else 10) // total
        if share == self._shown:
            return
        self._shown, self._open = share, self._person
        text = f"{done / MEGABYTE:.0f} of {total / MEGABYTE:.0f} MB ({done * 100 // total} %)"
        print(f"\r{text}" if self._person else text, end="" if self._person else "\n", file=sys.stderr, flush=True)

    def note(self, line: str) -> None:
        self.end()
        print(line, file=sys.stderr)

    def end(self) -> None:
        if self._open:
            print(file=sys.stderr)
            self._open = False
