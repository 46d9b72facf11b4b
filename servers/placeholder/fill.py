"""Fills a template: finds placeholders, inserts the formatted values, reports what doesn't fit. Never raises.

A placeholder is a name between braces: `{TOTAL_SALES}`, also `{ TOTAL_SALES }`. Special cases:

| in the template or the values           | the narrative                        | a warning |
|------------------------------------------|--------------------------------------|-----------|
| a name without a value                   | keeps the placeholder unchanged      | yes       |
| a value that is null                     | "tidak tersedia"                     | yes       |
| a value without a placeholder            | doesn't contain it                   | yes       |
| a rule for a name that isn't there       | is not affected                      | yes       |
| a type that doesn't exist or doesn't fit | contains the unformatted value       | yes       |
| braces around no name: `{}`, `{a, b}`    | keeps them                           | no        |
| braces in braces: `{{A}}`, `{x {A}}`     | the innermost pair is the placeholder; the others stay  | no |
| braces in a value                        | keeps them; values are not templates | no        |
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field

from servers.placeholder.formats import FORMATS, UnfitError, format_value, text

_BRACES = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[^\W\d][\w.-]*")


class FormattingRule(BaseModel, frozen=True):
    """How to format one placeholder's value."""

    type: Annotated[str, Field(description=f"One of {', '.join(FORMATS)}.")]
    precision: Annotated[
        int | None, Field(ge=0, le=10, description="Digits after the comma, for numbers, money, percentages, words.")
    ] = None


@dataclass(frozen=True)
class Filled:
    """The narrative, and warnings for its reader."""

    narrative: str
    warnings: list[str]


def fill(template: str, values: Mapping[str, Any], rules: Mapping[str, FormattingRule]) -> Filled:
    """Return `template` with every placeholder filled for which there is a value."""
    warnings: dict[str, None] = {}  # an ordered set
    used: set[str] = set()

    def replacement(found: re.Match[str]) -> str:
        name = found[1].strip()
        if name not in values and not _NAME.fullmatch(name):
            return found[0]
        used.add(name)
        if name not in values:
            warnings[f"{name} has no value; the placeholder stays.{_near(name, values)}"] = None
            return found[0]
        if values[name] is None:
            warnings[f"{name} is null."] = None
        rule = rules.get(name, FormattingRule(type="text"))
        try:
            return format_value(values[name], rule.type, rule.precision)
        except UnfitError as error:
            warnings[f"{name} is shown as it is: {error}."] = None
            return text(values[name])

    narrative = _BRACES.sub(replacement, template)
    if unused := [name for name in values if name not in used]:
        warnings[f"Nothing in the template asks for {', '.join(unused)}."] = None
    if idle := [name for name in rules if name not in used and name not in values]:
        warnings[f"There are rules for {', '.join(idle)}, which the template doesn't have."] = None
    return Filled(narrative, list(warnings))


def _near(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(names), n=1)
    return f" Did you mean {near[0]}?" if near else ""
