"""That the data of an answer are a sample's: how a data server says it, and where the answer repeats it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SAMPLE = re.compile(r"Contoh: [^.]+\.")
"""A `notice` that begins so says that its rows are made up; what follows says what else there is to know."""


def parted(notice: str) -> tuple[str | None, str]:
    """A data server's notice as (that this is a sample, or None; the rest)."""
    found = _SAMPLE.match(notice)
    return (found[0], notice[found.end() :].strip()) if found else (None, notice)


def is_sample(warning: str) -> bool:
    """Whether a warning says only that the data are a sample: it takes nothing from the answer's quality."""
    return _SAMPLE.fullmatch(warning) is not None


def said(narrative: str, warnings: Iterable[str]) -> str:
    """The narrative, which says it too where one of the warnings does."""
    return "\n\n".join([narrative, *filter(is_sample, warnings)])
