"""Recognises and repeats the notice that an answer's data are a sample. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SAMPLE = re.compile(r"(?:Contoh|Sample \(contoh\)): [^.]+\.")


def says_sample(notice: str) -> bool:
    """Whether a data server's notice begins with the sample notice, i.e. its rows are made up."""
    return _SAMPLE.match(notice) is not None


def is_sample(warning: str) -> bool:
    """Whether a warning only says that the data are a sample; it doesn't lower the answer's quality."""
    return _SAMPLE.fullmatch(warning) is not None


def said(narrative: str, warnings: Iterable[str]) -> str:
    """The narrative, followed by the sample notice if one of the warnings is one."""
    return "\n\n".join([narrative, *filter(is_sample, warnings)])
