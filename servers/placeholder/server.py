"""The tool of `placeholder_mcp_server`: exposes `fill`. Formats nothing itself."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from mcp.server.mcpserver import MCPServer
from pydantic import BeforeValidator, Field
from typing_extensions import TypedDict

from hardening.texts import sendable
from servers.common.server import READ_ONLY, Server
from servers.placeholder.fill import FormattingRule, fill
from servers.placeholder.formats import FORMATS

INSTRUCTIONS = f"""Fills numbers, money and dates into a narrative, so that no model has to write them.
Write the text with {{NAME}} where a value belongs, and give each value as it came from the database: unrounded numbers,
ISO dates, ratios (0.25) for percentages. Types of formatting: {", ".join(FORMATS)}.
`warnings` is there only when something didn't fit; the narrative comes anyway."""

MAX_TEMPLATE = 200_000


def _short_form(rule: Any) -> Any:
    """Expand `"currency_IDR"` to `{"type": "currency_IDR"}`."""
    return {"type": rule} if isinstance(rule, str) else rule


Template = Annotated[
    str, Field(max_length=MAX_TEMPLATE, description="Text with placeholders, e.g. 'Total penjualan: {TOTAL_SALES}'.")
]
Values = Annotated[dict[str, Any], Field(description="The value of each placeholder, by its name.")]
Rules = Annotated[
    dict[str, Annotated[FormattingRule, BeforeValidator(_short_form)]],
    Field(description="The formatting of each placeholder, by its name; without a rule a value is shown as it is."),
]


class FillPlaceholdersOutput(TypedDict):
    """The filled text."""

    final_narrative: Annotated[str, Field(description="The template with its values in place.")]
    warnings: NotRequired[Annotated[list[str], Field(description="What was missing or didn't fit, if anything.")]]


def create_server() -> MCPServer[Any]:
    """Create the server, which keeps no state between calls."""
    server: MCPServer[Any] = Server("placeholder_mcp_server", version="1.0.0", instructions=INSTRUCTIONS)

    @server.tool(title="Fill placeholders", annotations=READ_ONLY)
    def fill_placeholders(
        response_template: Template, data_values: Values, formatting_rules: Rules | None = None
    ) -> FillPlaceholdersOutput:
        """Replace every {PLACEHOLDER} of a template with its value, formatted the Indonesian way."""
        filled = fill(response_template, data_values, formatting_rules or {})
        output: FillPlaceholdersOutput = {"final_narrative": sendable(filled.narrative)}
        if filled.warnings:
            output["warnings"] = [sendable(warning) for warning in filled.warnings]
        return output

    return server
