"""A server's sentences in Indonesian, from `languages/id.toml` in its package. Letters have their own words."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def phrases(package: str) -> Mapping[str, str]:
    """Return {key: sentence} of `servers.NAME`; placeholders are filled with `str.format`."""
    return tomllib.loads(files(package).joinpath("languages", "id.toml").read_text(encoding="utf-8"))
