"""Renders profiles/client.schema.json: client.toml as a JSON Schema, for editors (Taplo). It checks nothing itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentd.config.sections import client_file
from lab.tools.configuration import SECTIONS, keys_described

TARGET = Path(__file__).parents[2] / "profiles" / "client.schema.json"


def render() -> str:
    """The schema; each key's description is its docstring."""
    words = keys_described()
    schema = client_file().model_json_schema(by_alias=True)
    parts = {**schema["$defs"], client_file().__name__: schema}
    for _, model in SECTIONS:
        properties: dict[str, Any] = parts[model.__name__].get("properties", {})
        for name, field in model.model_fields.items():
            rule = properties[field.alias or name]
            rule["description"] = words[model.__name__, name]
            rule.pop("title", None)
    return json.dumps({"$schema": "http://json-schema.org/draft-07/schema#", **schema}, indent=1, sort_keys=True) + "\n"
