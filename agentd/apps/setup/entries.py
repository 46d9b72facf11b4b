"""Creates `[[servers]]` entries as lines for client.toml, and converts them from and to `mcpServers` JSON.

Pure: it reads no file, writes no file and starts nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from agentd.config.schema import ServerEntry

_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_FROM_ENVIRONMENT = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}")
_ASKED_FOR = re.compile(r"\$\{input:([^}]+)\}")
_SECRET = re.compile(r"key|token|secret|password|passwd|credential|authorization|cookie", re.IGNORECASE)
_SHAPES: Mapping[str, type] = {"command": str, "url": str, "cwd": str, "args": list, "env": dict, "headers": dict}
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


def new_server(**given: Any) -> ServerEntry:
    """An entry that is checked when the file that it is added to is loaded, which says the line of a mistake."""
    return ServerEntry.model_construct(**given)


def lines(server: ServerEntry) -> str:
    """The entry as written in client.toml."""
    given = server.model_dump(by_alias=True, exclude_defaults=True, warnings=False)
    return "\n".join(["[[servers]]", *(f"{key} = {_toml(value)}" for key, value in given.items())]) + "\n"


def added(text: str, servers: Iterable[ServerEntry]) -> str:
    """The file's text with these entries appended and the rest unchanged."""
    return "\n".join([text.rstrip("\n"), *(f"\n{lines(server).rstrip()}" for server in servers)]) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(inner) for inner in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# ── mcpServers JSON ──────────────────────────────────────────────────────────────────────────────────────────────────


def read(text: str) -> tuple[list[ServerEntry], list[str]]:
    """The servers in `mcpServers` (Claude Desktop, Cursor) or VS Code's `servers`, and notes.

    A note says what was left out or remains to be done. Comments and trailing commas are ignored. Raises ValueError if
    the file has no servers.
    """
    try:
        document = json.loads(_TRAILING_COMMA.sub(r"\1", _COMMENT.sub(lambda found: found[1] or "", text)))
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error}") from None
    json.dumps(document, ensure_ascii=False).encode()  # raises ValueError for a lone surrogate
    listed = _servers(document)
    if listed is None:
        raise ValueError("no `mcpServers` (Claude Desktop, Cursor) and no `servers` (VS Code) in it")
    servers: list[ServerEntry] = []
    notes: list[str] = []
    for name, entry in listed.items():
        if not isinstance(entry, dict) or not (entry.get("command") or entry.get("url")):
            notes.append(f"{name}: left out, it has neither `command` nor `url`")
        elif entry.get("type") == "sse":
            notes.append(f"{name}: left out, it speaks the old HTTP+SSE protocol; ask its maker for Streamable HTTP")
        elif entry.get("disabled"):
            notes.append(f"{name}: left out, it is disabled there")
        elif wrong := [key for key, shape in _SHAPES.items() if not isinstance(entry.get(key) or shape(), shape)]:
            notes.append(f"{name}: left out, its {', '.join(wrong)} has another form than it should")
        else:
            server = _server(name, entry)
            servers.append(server)
            notes += [f"{server.name}: set {secret} in agentd's environment" for secret in server.pass_env]
            notes += [f"{server.name}: `{asked}` is asked for there; write it in" for asked in _asked(entry)]
            stored = {key: _credential(server.name, key) for key in server.headers}
            notes += [
                f"{server.name}: store what its {key} says there as the credential `{name}`"
                for key, name in stored.items()
                if f"${{{name}}}" in server.headers[key]
            ]
    return servers, notes


def _servers(document: Any) -> dict[str, Any] | None:
    """{name: entry} from `mcpServers` (Claude Desktop) or `servers`, `mcp.servers` (VS Code); None without any."""
    if not isinstance(document, dict):
        return None
    for table in (document.get("mcpServers"), document.get("servers"), document.get("mcp")):
        if isinstance(table, dict) and table:
            inner = table.get("servers")
            return inner if isinstance(inner, dict) and "command" not in inner else table
    return None


def _server(name: str, entry: Mapping[str, Any]) -> ServerEntry:
    env, pass_env = _environment(entry.get("env") or {})
    name, url = _NOT_A_NAME.sub("-", name).strip("-") or "server", entry.get("url")
    return new_server(
        name=name,
        command=None if url else str(entry["command"]),
        args=[] if url else [str(each) for each in entry.get("args") or ()],
        env={} if url else env,
        pass_env=[] if url else pass_env,
        workdir=entry.get("cwd"),
        url=url,
        headers={key: _header(name, key, str(value)) for key, value in (entry.get("headers") or {}).items()},
    )


def _header(server: str, key: str, value: str) -> str:
    """The header's value, in which a credential's name stands for a secret (`Bearer ${books_authorization}`)."""
    if "${" in value or not _SECRET.search(key):
        return _FROM_ENVIRONMENT.sub(r"${\1}", value)
    scheme, space, _ = value.partition(" ")
    return f"{scheme if space else ''}{space}${{{_credential(server, key)}}}"


def _credential(server: str, key: str) -> str:
    return re.sub(r"\W+", "_", f"{server}_{key}").lower()


def _environment(given: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """(plain values, names of variables that are secret or come from the environment)."""
    plain: dict[str, str] = {}
    passed: list[str] = []
    for name, value in given.items():
        text = str(value)
        if _SECRET.search(name) or _FROM_ENVIRONMENT.fullmatch(text) or _ASKED_FOR.search(text):
            passed.append(name)
        else:
            plain[name] = text
    return plain, passed


def _asked(entry: Mapping[str, Any]) -> Iterator[str]:
    """The inputs in arguments and headers that VS Code would ask its user for."""
    texts = [*(entry.get("args") or ()), *(entry.get("headers") or {}).values()]
    for text in texts:
        yield from (found[0] for found in _ASKED_FOR.finditer(str(text)))


def exported(entries: Sequence[ServerEntry]) -> dict[str, Any]:
    """{"mcpServers": {...}} for other programs. Secrets are named (`${env:NAME}`), never shown."""
    return {"mcpServers": {entry.name: _exported(entry) for entry in entries}}


def _exported(entry: ServerEntry) -> dict[str, Any]:
    if entry.url is not None:
        named_there = ((key, _header(entry.name, key, value)) for key, value in entry.headers.items())
        headers = {key: _FROM_ENVIRONMENT.sub(r"${env:\1}", value) for key, value in named_there}
        return {"type": "http", "url": entry.url, **({"headers": headers} if headers else {})}
    extra = entry.model_extra or {}
    own = {key.upper(): value if isinstance(value, str) else json.dumps(value) for key, value in extra.items()}
    named = {name: f"${{env:{name}}}" for name in [*entry.pass_env, *(name.upper() for name in entry.credentials)]}
    env = {**own, **entry.env, **named}
    made: dict[str, Any] = {"command": entry.command, "args": list(entry.args)}
    return {**made, **({"env": env} if env else {}), **({"cwd": entry.workdir} if entry.workdir else {})}
