"""Reads files of public repositories at their newest commit, from local clones or from clones that it makes."""

from __future__ import annotations

import subprocess
from pathlib import Path

SOURCE = "https://github.com/{owner}/{name}"


def shown(data: Path, source: str, repository: str, file: str) -> bytes:
    """A file of `owner/name`. `source` is where repositories are ({owner}, {name}); one that is no folder is cloned
    into `data`."""
    owner, _, name = repository.partition("/")
    where = source.format(owner=owner, name=name)
    if not Path(where).is_dir():
        clone = data / "clones" / f"{owner}+{name}"
        if not clone.exists():
            quiet = ["git", "clone", "--quiet", "--depth", "1", "--filter=blob:none", "--no-checkout"]
            subprocess.run([*quiet, where, str(clone)], check=True)
        where = str(clone)
    return subprocess.run(["git", "-C", where, "show", f"HEAD:{file}"], check=True, capture_output=True).stdout
