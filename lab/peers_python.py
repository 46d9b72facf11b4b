"""The Python environment that runs lab/bench/peers/, created from lab/bench/peers.lock when needed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK, FOLDER = ROOT / "lab" / "bench" / "peers.lock", ROOT / ".venv-peers"
PROGRAMS = ROOT / "lab" / "bench" / "peers"


def python() -> str:
    """The path of the interpreter. Installs the locked packages first if needed; raises SystemExit when that fails."""
    stamp, wanted = FOLDER / ".installed", hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        sys.stderr.write(f"▸ what agentd is measured beside, into {FOLDER.name} (locked, hashed; once)\n")
        uv = str(Path(sys.executable).with_name("uv"))
        _run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(FOLDER))
        _run(uv, "pip", "sync", "--quiet", "--python", str(_interpreter()), "--require-hashes", str(LOCK))
        stamp.write_text(wanted)
    return str(_interpreter())


def version(package: str) -> str:
    """The package's locked version."""
    line = next(line for line in LOCK.read_text().splitlines() if line.startswith(f"{package}=="))
    return line.removeprefix(f"{package}==").split()[0]


def _interpreter() -> Path:
    return FOLDER / "bin" / "python"


def _run(*command: str) -> None:
    if subprocess.run(command, check=False).returncode != 0:
        raise SystemExit(f"could not install the peers: {' '.join(command)}")
