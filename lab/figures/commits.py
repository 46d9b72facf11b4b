"""Which commit is measured, and how much has changed since. It asks git; without one it knows nothing."""

from __future__ import annotations

import subprocess

from lab.figures.record import ROOT, Measurement

STALE_AFTER = 30
"""Commits of change in what a section measures."""
FILLED = ("docs", "lab/eval/analytics/results")
"""What measuring writes itself."""
MAIN = ("main", "origin/main", "master", "origin/master")


def git(*words: str) -> str | None:
    """What git prints; None when there is no git, no repository, or it refuses."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def measured() -> tuple[str, bool]:
    """(the last commit of the main branch that is here, whether the code has more than that)."""
    head = git("rev-parse", "HEAD") or ""
    commit = next((base for name in MAIN if (base := git("merge-base", "HEAD", name))), head)
    edited = git("status", "--porcelain", "--untracked-files=no", "--", ".", *(f":!{place}" for place in FILLED))
    return commit, commit != head or bool(edited)


def whole() -> bool:
    """Whether all history is here: not in a shallow clone, nor in an unpacked archive."""
    return git("rev-parse", "--is-shallow-repository") == "false"


def exists(commit: str) -> bool:
    """Whether the repository has it."""
    return git("cat-file", "-e", f"{commit}^{{commit}}") is not None


def stale(measurement: Measurement, paths: tuple[str, ...]) -> bool:
    """Whether more than STALE_AFTER commits have changed `paths` since; False where history does not reach."""
    count = git("rev-list", "--count", f"{measurement.commit}..HEAD", "--", *paths)
    return count is not None and int(count) > STALE_AFTER
