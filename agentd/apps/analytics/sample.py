"""That the data of an answer are a sample's: how a data server says it, and where the answer repeats it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SAMPLE = re.compile(r"(?:Contoh|Sample \(contoh\)): [^.]+\.")


def says_sample(notice: str) -> bool:
    """Whether a data server's notice begins so: its rows are made up."""
    return _SAMPLE.match(notice) is not None


def is_sample(warning: str) -> bool:
    """Whether a warning says only that the data are a sample: it takes nothing from the answer's quality."""
    return _SAMPLE.fullmatch(warning) is not None


def said(narrative: str, warnings: Iterable[str]) -> str:
    """The narrative, which says it too where one of the warnings does."""
    return "\n\n".join([narrative, *filter(is_sample, warnings)])
