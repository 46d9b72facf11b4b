"""Loads client.toml into frozen settings; only this module reads the environment. It starts and calls nothing.

All mistakes are reported at once, with file, line and the key that was probably meant (`ConfigError.problems`).
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from agentd.config import mend, schema, sections
from agentd.config.check import check, is_address, with_shared_clock
from agentd.config.faults import explain, not_toml, path_of
from agentd.config.lines import Path as KeyPath
from agentd.config.lines import key_lines, line_of
from agentd.config.schema import ClientFile, ProfileSettings, ProviderEntry, ServerEntry, StoreSettings, ToolSettings
from agentd.config.sections import SectionOfApp
from agentd.config.shipped import shipped
from agentd.credentials import advice, credential, filled, missing, references, secret
from agentd.errors import ConfigError, Problem
from agentd.messages import ModelInfo, ProviderSettings, Scope, ServerSettings
from hardening.files import plain_text

S = TypeVar("S", bound=SectionOfApp)
AS_WRITTEN = "default_provider prompt_template tool_host profiles glossary examples agent telemetry".split()
"""The settings that are what the file says."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings from client.toml, flags and environment, with every name resolved."""

    file: Path
    state: Path
    default_provider: str
    prompt_template: str
    providers: tuple[ProviderSettings, ...]
    servers: tuple[ServerSettings, ...]
    servers_with_model: frozenset[str]
    audiences: Mapping[str, frozenset[Scope]]
    """{server: scopes whose agents have its tools} (`for`); a server without an entry is available to all."""
    server_tools: Mapping[str, Mapping[str, ToolSettings]]
    """{server: {tool: what its `[[servers]]` entry says of it}}."""
    servers_later: frozenset[str]
    """Servers started once the daemon is ready (`later = true`, or they need its models); calls to them wait."""
    zone: ZoneInfo
    tool_host: str
    tools: tuple[ToolSettings, ...] | None
    profiles: Sequence[ProfileSettings]
    glossary: Mapping[str, str]
    examples: Sequence[schema.ExampleSettings]
    agent: schema.AgentSettings
    rpc: schema.RpcSettings
    store: StoreSettings
    telemetry: schema.TelemetrySettings
    sections: Mapping[str, SectionOfApp]
    """{key: section of an installed app}."""
    admin_token: str | None = field(default=None, repr=False)
    clock: str | None = None
    warnings: tuple[Problem, ...] = ()
    credential_names: tuple[str, ...] = ()
    """The credentials named in the file, except those of providers."""

    def profile(self, name: str | None) -> ProfileSettings | None:
        return next((profile for profile in self.profiles if profile.name == name), None)

    def section(self, kind: type[S]) -> S:
        """The section of an installed app, by its class."""
        return next(section for section in self.sections.values() if isinstance(section, kind))

    def problem(self, where: KeyPath, text: str) -> Problem:
        """A mistake at this key of the file, with its line."""
        return Problem(self.file, line_of(key_lines(self.file.read_text(encoding="utf-8-sig")), where), text)

    def server_of(self, key: str) -> str:
        """The server that a section names; empty if no installed app has the section."""
        return str(getattr(self.sections.get(key), "server", ""))


def find(flag: str | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """The client.toml to use: the flag, AGENTD_CONFIG, ./config, /etc/agentd, or the shipped one."""
    if named := flag or environ.get("AGENTD_CONFIG"):
        return Path(named)
    candidates = [Path("config/client.toml"), Path("/etc/agentd/client.toml"), shipped("client.toml")]
    return next((path for path in candidates if path.is_file()), candidates[0])


def state_folder(flag: str | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of databases, letters, tokens and snapshots: the flag, AGENTD_STATE, or ./state."""
    return Path(os.path.realpath(flag or environ.get("AGENTD_STATE") or "state"))  # `resolve` raises for a loop


def load(
    path: str | Path | None = None,
    *,
    state: str | None = None,
    listen: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """Read a client.toml; flags win over environment, environment over file. Raises ConfigError with all problems."""
    file = find(None if path is None else str(path), environ)
    text, raw, parsed, faults = _read(file)
    lines = key_lines(text)
    problems: list[Problem] = []

    def problem(where: KeyPath, text: str) -> None:
        problems.append(Problem(file, line_of(lines, where), text))

    for detail in faults:
        problem(*explain(detail, raw))
    if parsed is None:
        raise ConfigError(sorted(dict.fromkeys(problems), key=lambda found: found.line))

    warnings: list[Problem] = []
    stood_in = {path_of(detail) for detail in faults if detail["type"] == "missing"}

    def mistake(where: KeyPath, text: str) -> None:
        if where not in stood_in:
            problem(where, text)

    check(parsed, mistake, lambda where, text: warnings.append(Problem(file, line_of(lines, where), text)))
    for key in ("url", "letters_url"):
        if lacking := missing(references(getattr(parsed.store, key) or ""), environ):
            problem(("store", key), advice(lacking))
    environ = with_shared_clock(environ, problem)
    address = listen or environ.get("AGENTD_LISTEN") or parsed.rpc.listen
    if not is_address(address):
        source = "--listen, AGENTD_LISTEN or [rpc] listen"
        problem(("rpc", "listen"), f"`{address}` is not HOST:PORT, for example 127.0.0.1:8765 ({source})")
    if problems:
        raise ConfigError(sorted(dict.fromkeys(problems), key=lambda found: found.line))

    folder = file.resolve().parent
    state_path = state_folder(state, environ)
    of_apps = {name: section.with_secrets(environ) for name, section in sections.of(parsed).items()}
    servers = tuple(_server(entry, parsed, folder, state_path, environ) for entry in parsed.servers)
    warnings += [
        Problem(file, line_of(lines, ("servers", index, key)), text)
        for index, key, text in _lacking(parsed, servers, environ)
    ]
    return Settings(
        **{name: getattr(parsed, name) for name in AS_WRITTEN},
        file=file,
        state=state_path,
        providers=tuple(_provider(entry, parsed, folder, environ) for entry in parsed.providers),
        servers=servers,
        servers_with_model=frozenset(entry.name for entry in parsed.servers if entry.model),
        audiences={
            name: frozenset(audience)
            for name, audience in [
                *(each for section in of_apps.values() for each in section.own_tools().items()),
                *((entry.name, entry.audience) for entry in parsed.servers),
            ]
            if audience is not None
        },
        server_tools={entry.name: said for entry in parsed.servers if (said := entry.tool_settings())},
        servers_later=frozenset(entry.name for entry in parsed.servers if entry.later or entry.model),
        zone=ZoneInfo(parsed.timezone),
        tools=parsed.bound,
        rpc=parsed.rpc.model_copy(update={"listen": address}),
        store=_store(parsed, environ),
        sections=of_apps,
        admin_token=secret("AGENTD_TOKEN", environ),
        clock=environ.get("AGENTD_CLOCK"),
        warnings=tuple(warnings),
        credential_names=_credential_names(parsed),
    )


def _read(file: Path) -> tuple[str, dict[str, Any], ClientFile | None, Sequence[Any]]:
    """The text, its tables, the valid part of them (None if there is none) and pydantic's errors about the rest."""
    try:
        text = plain_text(file, 4 * 1024 * 1024)
    except FileNotFoundError:
        raise ConfigError([Problem(file, 1, "no such file; name one with --config or AGENTD_CONFIG")]) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text in UTF-8"
        raise ConfigError([Problem(file, 1, f"cannot be read: {reason}")]) from None
    try:
        raw = tomllib.loads(text)
        return text, raw, *mend.parsed(raw)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError([Problem(file, *not_toml(str(error), text))]) from None


# ── from the file to settings ────────────────────────────────────────────────────────────────────────────────────────


def _store(file: ClientFile, environ: Mapping[str, str]) -> StoreSettings:
    kept = file.store.session_servers
    if kept is None:
        kept = [name for section in sections.of(file).values() for name in section.session_servers()]
    url = file.store.url and filled(file.store.url, environ)
    return file.store.model_copy(update={"url": url, "session_servers": kept})


def _provider(entry: ProviderEntry, file: ClientFile, folder: Path, environ: Mapping[str, str]) -> ProviderSettings:
    models = tuple(
        ModelInfo(name=model) if isinstance(model, str) else ModelInfo.model_validate(model) for model in entry.models
    )
    default = entry.model or (models[0].name if models else "")
    if entry.id == file.default_provider and file.model:
        default = file.model
    as_written = {"id", "type", "endpoint", "price"}
    if "timeout_s" in entry.model_fields_set:
        as_written.add("timeout_s")
    return ProviderSettings(
        api_key=secret(entry.api_key, environ) if entry.api_key else None,
        api_key_name=entry.api_key,
        models=models,
        model=default,
        settings=dict(entry.model_extra or {}),
        config_dir=str(folder),
        **entry.model_dump(include=as_written),
    )


def _server(
    entry: ServerEntry, file: ClientFile, folder: Path, state: Path, environ: Mapping[str, str]
) -> ServerSettings:
    own = {
        key.upper(): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        for key, value in (entry.model_extra or {}).items()
    }
    given = {name: environ[name] for name in ("AGENTD_CLOCK", *entry.pass_env) if name in environ}
    common = {"AGENTD_STATE": str(state), "DEFAULT_TIMEZONE": file.timezone}
    if entry.workdir is None and entry.args[:1] == ["-m"]:
        common["PYTHONSAFEPATH"] = "1"  # no json.py of the folder that the daemon happens to start in
    credentials = {name: found for name in entry.credentials if (found := credential(name, environ)) is not None}
    named = list(entry.credentials)
    for section in sections.of(file).values():
        from_app = section.given(entry, file, folder, environ)
        common |= from_app.env
        credentials |= from_app.credentials
        named += from_app.needs
    referred = [name for value in entry.headers.values() for name in references(value)]
    lacking = missing([*named, *referred], environ)
    path = os.pathsep.join([str(Path(sys.executable).parent), environ.get("PATH", os.defpath)])
    return ServerSettings(
        **entry.model_dump(include={"name", "command", "args", "url", "start_timeout_s", "call_timeout_s"}),
        headers={name: filled(value, environ) for name, value in entry.headers.items()},
        credentials=credentials,
        blocked=advice(lacking) if lacking else None,
        env={"PATH": path, **common, **own, **entry.env, **given},
        workdir=None if entry.workdir is None else str((folder / entry.workdir).resolve()),
        artifacts_dir=str(state / "artifacts"),
    )


def _lacking(
    file: ClientFile, servers: Sequence[ServerSettings], environ: Mapping[str, str]
) -> Iterator[tuple[int, str, str]]:
    """(index of the server, key, message) for each credential or variable that an entry names and that is not set."""
    for index, (entry, server) in enumerate(zip(file.servers, servers, strict=True)):
        if server.blocked and server.blocked not in [one.blocked for one in servers[:index]]:
            alike = ", ".join(f"`{one.name}`" for one in servers if one.blocked == server.blocked)
            yield index, "credentials", f"not started: server {alike}: {server.blocked}"
        for name in (name for name in entry.pass_env if name not in environ):
            text = f"server `{entry.name}` does without `{name}`: `pass_env` names it, but it is not set"
            yield index, "pass_env", text


def _credential_names(file: ClientFile) -> tuple[str, ...]:
    texts = [file.store.url or "", file.store.letters_url or ""]
    texts += [value for entry in file.servers for value in entry.headers.values()]
    named = [name for entry in file.servers for name in entry.credentials]
    named += [name for section in sections.of(file).values() for name in section.credentials()]
    return tuple(dict.fromkeys([*named, *(name for text in texts for name in references(text))]))
