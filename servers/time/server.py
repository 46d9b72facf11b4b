"""The server `time`: one tool, with defaults from DEFAULT_TIMEZONE and DEFAULT_CITY."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BeforeValidator, Field

from servers.common import clock
from servers.common.server import Server
from servers.time import zones
from servers.time.moment import LANGUAGES, SAID, Moment, describe

OptionalText = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


def create_server(env: Mapping[str, str] = os.environ) -> MCPServer:
    """Create the server after checking the defaults. Raises zones.UnknownZone if DEFAULT_TIMEZONE is not a zone."""
    try:
        default_zone = zones.by_name(env.get("DEFAULT_TIMEZONE") or "Asia/Jakarta")
    except zones.UnknownZone as error:
        raise zones.UnknownZone(f"DEFAULT_TIMEZONE: {error}") from None
    default_city = env.get("DEFAULT_CITY") or default_zone.key.rpartition("/")[2].replace("_", " ")
    server = Server("time", version="1.0.0", instructions=SAID["instructions"], log_level="WARNING")

    @server.tool(
        description=SAID["description"],
        annotations=ToolAnnotations(title=SAID["title"], read_only_hint=True, open_world_hint=False),
        meta={"agentd/asked_by": [word for said in LANGUAGES.values() for word in said["asked_by"]]},
    )
    def get_current_time(
        timezone: Annotated[OptionalText, Field(description=SAID["timezone"])] = "", city: OptionalText = ""
    ) -> Annotated[CallToolResult, Moment]:
        unknown = ""
        try:
            if timezone.strip():
                zone = zones.by_name(timezone)
                place = city or (default_city if zone.key == default_zone.key else zone.key.rpartition("/")[2])
            else:
                known = zones.of_city(city)
                zone, place = known or default_zone, city if known else default_city
                if city.strip() and known is None and city.casefold() != default_city.casefold():
                    unknown = " " + SAID["unknown_city"].format(city=city[:40])
        except zones.UnknownZone as error:
            return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
        moment = describe(clock.now(zone), zone.key, place.replace("_", " ").strip())
        return CallToolResult(
            content=[TextContent(text=moment.sentence + unknown)], structured_content=moment.model_dump()
        )

    return server
