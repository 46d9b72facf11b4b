"""Determines the measured commit and how much has changed since, by asking git. Without git it knows nothing."""

from __future__ import annotations

import subprocess

from lab.figures.record import ROOT, Measurement

STALE_AFTER = 30
"""Number of commits that changed a section's code, above which its figures are stale."""
FILLED = ("docs", "README.md", "lab/eval/analytics/results")
"""Paths that measuring itself writes."""
MAIN = ("main", "origin/main", "master", "origin/master")


def git(*words: str) -> str | None:
    """git's output; None when git or the repository is missing, or git fails."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def measured() -> tuple[str, bool]:
    """(last commit that is on the main branch, whether the code differs from it)."""
    head = git("rev-parse", "HEAD") or ""
    commit = next((base for name in MAIN if (base := git("merge-base", "HEAD", name))), head)
    edited = git("diff", "--name-only", commit, "--", ".", *(f":!{place}" for place in FILLED))
    return commit, bool(edited)


def whole() -> bool:
    """Whether the whole history is available: False in a shallow clone or an unpacked archive."""
    return git("rev-parse", "--is-shallow-repository") == "false"


def exists(commit: str) -> bool:
    return git("cat-file", "-e", f"{commit}^{{commit}}") is not None


def stale(measurement: Measurement, paths: tuple[str, ...]) -> bool:
    """Whether more than STALE_AFTER commits have changed `paths` since; False when the history is too short."""
    count = git("rev-list", "--count", f"{measurement.commit}..HEAD", "--", *paths)
    return count is not None and int(count) > STALE_AFTER
