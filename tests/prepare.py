"""Installs what the tests need besides Python packages: Debian programs and the npm programs of tests/package.json.

    python -m tests.prepare

If your test needs a program, add it to DEBIAN: the program to look for → its Debian package. Installed programs are
left alone. Without permission to install, the command exits and prints the command to run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

TESTS = Path(__file__).parent
PLACES = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

DEBIAN: Mapping[str, str] = {
    "mariadbd": "mariadb-server",
    "npm": "npm",
    "curl": "curl",
    "certutil": "libnss3-tools",
    "pdfsig": "poppler-utils",
    "softhsm2-util": "softhsm2",
    "openssl": "openssl",
    "/usr/bin/chromium": "chromium",
    "/usr/bin/chromium-headless-shell": "chromium-headless-shell",
    "/usr/lib/postgresql": "postgresql",
}


def main() -> None:
    """Install what is missing and print it. On failure exit with 1 and the command to run."""
    _debian(sorted({package for program, package in DEBIAN.items() if not _there(program)}))
    _npm()


def _there(program: str) -> bool:
    """Whether a program exists: a name is searched in PATH and the system's folders, a path is used as it is."""
    if program.startswith("/"):
        return Path(program).exists()
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:{PLACES}") is not None


def _debian(packages: list[str]) -> None:
    if not packages:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        sys.exit(f"The tests need Debian packages that are not installed. Run:\n\n    sudo {' '.join(command)}\n")
    print(f"▸ Debian packages: {' '.join(packages)}", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["apt-get", "update", "-qq"], [*command, "-qq"]):
        if subprocess.run(step, env=quiet, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            sys.exit(f"Installing failed. Run it yourself to see why:\n\n    {' '.join(command)}\n")


def _npm() -> None:
    """Install exactly what package-lock.json names, without install scripts, unless the lock is unchanged."""
    lock, stamp = TESTS / "package-lock.json", TESTS / "node_modules" / ".installed"
    if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
        return
    print("▸ npm packages for the tests (some 376 MB, once)", flush=True)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    if subprocess.run(command, cwd=TESTS, check=False).returncode != 0:
        sys.exit(f"Installing failed. Run it yourself to see why:\n\n    cd {TESTS} && {' '.join(command)}\n")
    stamp.write_bytes(lock.read_bytes())


if __name__ == "__main__":
    main()
