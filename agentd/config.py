"""client.toml → frozen settings; the only reader of the environment. It starts nothing and asks nobody.

Everything wrong is told at once, with file, line and the key that was probably meant (`ConfigError.problems`).
"""

from __future__ import annotations

import difflib
import json
import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentd.errors import ConfigError, Problem
from agentd.messages import ApprovalRule, ModelInfo, ProviderSettings, Scope, ServerSettings
from agentd.toml_lines import Path as KeyPath
from agentd.toml_lines import key_lines, line_of

SLOTS = ("{{custom_instruction}}", "{{language_guidance}}", "{{tool_guidance}}")
"""What `prompt_template` must hold; the prompt is put together there."""


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ToolSettings(_Section):
    """One `[[tools]]` entry: what this office says of a tool, over what its server says."""

    name: str = Field(min_length=1)
    description: str | None = None
    server: str | None = None
    official: bool | None = None
    approval: ApprovalRule | None = None
    timeout_s: float | None = Field(default=None, gt=0)

    @property
    def bare(self) -> bool:
        """True for a tool given by its name alone: it is bound to whichever server offers it."""
        return False


class BareTool(ToolSettings):
    """An entry of `tools = ["name", …]`."""

    @property
    def bare(self) -> bool:
        """Always."""
        return True


class AgentSettings(_Section):
    """`[agent]`: the bounds of a run."""

    max_steps: int = Field(default=8, ge=1, le=64)
    max_tool_errors: int = Field(default=3, ge=1, le=16)
    deadline_s: float = Field(default=300.0, gt=0)
    max_tokens: int = Field(default=200_000, ge=1)
    history_tokens: int = Field(default=1500, ge=0)
    approval_ttl_s: float = Field(default=900.0, gt=0)
    custom_instruction: str = ""
    language: Literal["auto", "id", "en"] = "auto"
    tools_in_prompt: int = Field(default=24, ge=1)


class RpcSettings(_Section):
    """`[rpc]`: where agentd listens and what it takes."""

    listen: str = "127.0.0.1:8765"
    unix_socket: str | None = None
    unix_socket_mode: str = "0660"
    allowed_hosts: list[str] = Field(default_factory=list)
    allowed_origins: list[str] = Field(default_factory=list)
    max_body_bytes: int = Field(default=4 * 1024 * 1024, ge=1024)
    max_prompt_bytes: int = Field(default=100_000, ge=16)
    max_batch: int = Field(default=50, ge=1)
    rate_per_minute: int = Field(default=600, ge=1)


class StoreSettings(_Section):
    """`[store]`: where runs and sessions live. `url`: PostgreSQL shares the work between daemons."""

    url: str | None = None
    node: str | None = None
    lease_s: float = Field(default=30.0, gt=0)
    concurrency: int = Field(default=256, ge=1)
    global_concurrency: int | None = Field(default=None, ge=1)
    queue_limit: int = Field(default=1000, ge=1)
    letters_url: str | None = None


class TelemetrySettings(_Section):
    """`[telemetry]`: traces are off unless an OTLP endpoint is named."""

    otlp_endpoint: str | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"


class ProfileSettings(_Section):
    """`[[profiles]]`: what the agent of one kind of caller is. `servers`/`tools` left out mean all of them."""

    name: str = Field(min_length=1)
    servers: list[str] | None = None
    tools: list[str] | None = None
    custom_instruction: str | None = None
    prompt_template: str | None = None
    providers: list[str] | None = None
    max_steps: int | None = Field(default=None, ge=1, le=64)
    deadline_s: float | None = Field(default=None, gt=0)
    max_tokens: int | None = Field(default=None, ge=1)
    in_prompt: list[str] | None = None
    """Servers whose tools the model is told of; those of others are there to be called by name. Left out: all."""
    scopes: list[Scope] = Field(default_factory=list)
    """Callers with one of these scopes get this profile unless their token names another."""


class ExampleSettings(_Section):
    """`[[examples]]`: one turn shown to the model: a citizen's words (`user`) or a tool's `result`, and the action.

    It is left out where the tool it names is not there.
    """

    action: dict[str, Any]
    user: str | None = None
    result: dict[str, Any] | None = None


class AnalyticsSettings(_Section):
    """`[analytics]`: how questions to the books are planned."""

    plan_style: Literal["sql", "operations"] = "sql"
    deadline_s: float = Field(default=180.0, gt=0)


class _Provider(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    id: str = Field(min_length=1)
    type: str = Field(min_length=1)
    endpoint: str | None = None
    api_key: str | None = None
    models: list[str | dict[str, str]] = Field(default_factory=list)
    model: str | None = None
    timeout_s: float = Field(default=60.0, gt=0)


class _Server(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    name: str = Field(min_length=1, pattern=r"^[A-Za-z0-9_.-]+$")
    command: str | None = None
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    workdir: str | None = None
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    pass_env: list[str] = Field(default_factory=list)
    model: bool = False
    start_timeout_s: float = Field(default=30.0, gt=0)
    call_timeout_s: float = Field(default=60.0, gt=0)


class _File(_Section):
    default_provider: str
    model: str | None = None
    prompt_template: str
    providers: list[_Provider] = Field(default_factory=list)
    servers: list[_Server] = Field(default_factory=list)
    tools: list[ToolSettings | str] | None = None
    profiles: list[ProfileSettings] = Field(default_factory=list)
    examples: list[ExampleSettings] = Field(default_factory=list)
    agent: AgentSettings = AgentSettings()
    rpc: RpcSettings = RpcSettings()
    store: StoreSettings = StoreSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    analytics: AnalyticsSettings = AnalyticsSettings()


@dataclass(frozen=True, slots=True)
class Settings:
    """All that client.toml, the flags and the environment say, resolved: no name is left to look up."""

    file: Path
    state: Path
    default_provider: str
    model: str | None
    prompt_template: str
    providers: tuple[ProviderSettings, ...]
    servers: tuple[ServerSettings, ...]
    servers_with_model: frozenset[str]
    tools: tuple[ToolSettings, ...] | None
    profiles: tuple[ProfileSettings, ...]
    examples: tuple[ExampleSettings, ...]
    agent: AgentSettings
    rpc: RpcSettings
    store: StoreSettings
    telemetry: TelemetrySettings
    analytics: AnalyticsSettings
    admin_token: str | None = field(default=None, repr=False)
    clock: str | None = None
    warnings: tuple[Problem, ...] = ()

    def profile(self, name: str | None) -> ProfileSettings | None:
        """The profile of that name."""
        return next((profile for profile in self.profiles if profile.name == name), None)


def find(flag: str | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """Which client.toml is meant: the flag, AGENTD_CONFIG, ./config, /etc/agentd, or the one that was shipped."""
    if named := flag or environ.get("AGENTD_CONFIG"):
        return Path(named)
    shipped = Path(sys.prefix) / "share" / "agentd" / "client.toml"
    beside = Path(__file__).resolve().parent.parent / "config" / "client.toml"
    candidates = [Path("config/client.toml"), Path("/etc/agentd/client.toml"), beside, shipped]
    return next((path for path in candidates if path.is_file()), candidates[0])


def state_folder(flag: str | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """Where databases, letters, tokens and snapshots lie: the flag, AGENTD_STATE, or ./state."""
    return Path(flag or environ.get("AGENTD_STATE") or "state").resolve()


def load(
    path: str | Path | None = None,
    *,
    state: str | None = None,
    listen: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """Read a client.toml, with flags over environment over file. Raises ConfigError with every problem in it."""
    file = find(None if path is None else str(path), environ)
    text, raw = _read(file)
    lines = key_lines(text)
    problems: list[Problem] = []

    def problem(where: KeyPath, text: str) -> None:
        problems.append(Problem(file, line_of(lines, where), text))

    parsed: _File | None = None
    try:
        parsed = _File.model_validate(raw)
    except ValidationError as error:
        for detail in error.errors():
            if not _of_other_branch(detail):
                problem(*_explain(detail, raw))
    if parsed is None:
        _check_names(raw, problem)
        raise ConfigError(sorted(set(problems), key=lambda found: found.line))

    warnings: list[Problem] = []
    _check(parsed, problem, lambda where, text: warnings.append(Problem(file, line_of(lines, where), text)))
    if problems:
        raise ConfigError(sorted(problems, key=lambda found: found.line))

    folder = file.resolve().parent
    state_path = state_folder(state, environ)
    return Settings(
        file=file,
        state=state_path,
        default_provider=parsed.default_provider,
        model=parsed.model,
        prompt_template=parsed.prompt_template,
        providers=tuple(_provider(entry, parsed, folder, environ) for entry in parsed.providers),
        servers=tuple(_server(entry, parsed, folder, state_path, environ) for entry in parsed.servers),
        servers_with_model=frozenset(entry.name for entry in parsed.servers if entry.model),
        tools=None
        if parsed.tools is None
        else tuple(BareTool(name=entry) if isinstance(entry, str) else entry for entry in parsed.tools),
        profiles=tuple(parsed.profiles),
        examples=tuple(parsed.examples),
        agent=parsed.agent,
        rpc=parsed.rpc.model_copy(
            update={"listen": listen or environ.get("AGENTD_LISTEN") or parsed.rpc.listen},
        ),
        store=parsed.store,
        telemetry=parsed.telemetry,
        analytics=parsed.analytics,
        admin_token=_secret("AGENTD_TOKEN", environ),
        clock=environ.get("AGENTD_CLOCK"),
        warnings=tuple(warnings),
    )


def _read(file: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        advice = "no such file; name one with --config or AGENTD_CONFIG"
        raise ConfigError([Problem(file, 1, advice)]) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([Problem(file, 1, f"cannot be read: {error}")]) from None
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = getattr(error, "lineno", None) or _line_in(str(error))
        raise ConfigError([Problem(file, line, f"not TOML: {error}")]) from None


def _line_in(text: str) -> int:
    _, _, after = text.partition("at line ")
    digits = after.split(",")[0]
    return int(digits) if digits.isdigit() else 1


# ── what is wrong, in words ──────────────────────────────────────────────────────────────────────────────────────────

_KNOWN: dict[str, tuple[str, ...]] = {
    "": tuple(_File.model_fields),
    "providers": tuple(_Provider.model_fields),
    "servers": tuple(_Server.model_fields),
    "tools": tuple(ToolSettings.model_fields),
    "profiles": tuple(ProfileSettings.model_fields),
    "examples": tuple(ExampleSettings.model_fields),
    "agent": tuple(AgentSettings.model_fields),
    "rpc": tuple(RpcSettings.model_fields),
    "store": tuple(StoreSettings.model_fields),
    "telemetry": tuple(TelemetrySettings.model_fields),
    "analytics": tuple(AnalyticsSettings.model_fields),
}


def _of_other_branch(detail: Any) -> bool:
    """True for what pydantic says of the union branch that was not meant: a table is no bare name, and the reverse."""
    branches = {part for part in detail["loc"] if isinstance(part, str)}
    given = detail.get("input")
    return ("str" in branches and isinstance(given, dict)) or ("ToolSettings" in branches and isinstance(given, str))


def _explain(detail: Any, raw: dict[str, Any]) -> tuple[KeyPath, str]:
    """A pydantic error as (key path, sentence)."""
    where: KeyPath = tuple(part for part in detail["loc"] if part not in ("ToolSettings", "str"))
    name = ".".join(str(part) for part in where)
    kind = detail["type"]
    section = str(where[0]) if len(where) > 1 else ""
    if kind == "extra_forbidden":
        return where, f"unknown key `{where[-1]}`{_meant(str(where[-1]), _KNOWN.get(section, ()))}"
    if kind == "missing":
        near = _meant(str(where[-1]), [str(key) for key in _table_at(raw, where[:-1])], found=True)
        return where[:-1] if len(where) > 1 else (), f"`{name}` is missing{near}"
    wanted = str(detail["msg"]).replace("Input should be ", "should be ")
    return where, f"`{name}` {wanted}, not {_shown(detail.get('input'))}"


def _table_at(raw: Any, where: KeyPath) -> dict[str, Any]:
    for part in where:
        try:
            raw = raw[part]
        except (KeyError, IndexError, TypeError):
            return {}
    return raw if isinstance(raw, dict) else {}


def _meant(key: str, known: Any, *, found: bool = False) -> str:
    near = difflib.get_close_matches(key, list(known), n=1, cutoff=0.6)
    if not near:
        return "" if found or not known else f"; known here: {', '.join(known)}"
    return f"; is it what `{near[0]}` was meant to be?" if found else f"; did you mean `{near[0]}`?"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"


def _check_names(raw: dict[str, Any], problem: Any) -> None:
    """What can be said of a file whose shape is wrong already, so that one look tells all."""
    servers = [entry for entry in raw.get("servers", []) if isinstance(entry, dict)]
    _check_doubles("servers", [entry.get("name") for entry in servers], problem)
    template = raw.get("prompt_template")
    if isinstance(template, str):
        _check_template(template, ("prompt_template",), problem)


def _check(parsed: _File, problem: Any, warning: Any) -> None:
    """What must fit together between the parts of the file."""
    _check_template(parsed.prompt_template, ("prompt_template",), problem)
    provider_ids = [provider.id for provider in parsed.providers]
    server_names = [server.name for server in parsed.servers]
    _check_doubles("providers", provider_ids, problem, key="id")
    _check_doubles("servers", server_names, problem)
    _check_doubles("profiles", [profile.name for profile in parsed.profiles], problem)
    if parsed.providers and parsed.default_provider not in provider_ids:
        near = _meant(parsed.default_provider, provider_ids)
        problem(("default_provider",), f"default_provider `{parsed.default_provider}` is no [[providers]] id{near}")
    if not parsed.providers:
        problem((), "no [[providers]]: at least one model provider is needed")
    for index, provider in enumerate(parsed.providers):
        for position, model in enumerate(provider.models):
            if isinstance(model, dict) and ("name" not in model or model.keys() - {"name", "display_name"}):
                text = f"`models[{position}]` of provider `{provider.id}` takes `name` and `display_name`"
                problem(("providers", index, "models"), text)
    for index, server in enumerate(parsed.servers):
        _check_server(server, ("servers", index), problem)
    for index, entry in enumerate(parsed.tools or []):
        tool = BareTool(name=entry) if isinstance(entry, str) else entry
        if tool.server is None:
            if not tool.bare:
                warning(("tools", index), f"tool `{tool.name}` names no server: it answers `unbound_tool` when called")
        elif tool.server not in server_names:
            near = _meant(tool.server, server_names)
            where = ("tools", index, "server")
            problem(where, f"tool `{tool.name}` is bound to server `{tool.server}`, which is not configured{near}")
    if parsed.store.url and not parsed.store.letters_url and "certificate" in server_names:
        text = "a shared queue with a local register of letters: two nodes would give one number twice; set letters_url"
        problem(("store", "url"), text)
    for index, profile in enumerate(parsed.profiles):
        named = {"servers": profile.servers or [], "in_prompt": profile.in_prompt or []}
        for key, name in ((key, name) for key, names in named.items() for name in names):
            if name not in server_names:
                where = ("profiles", index, key)
                problem(where, f"profile `{profile.name}` names server `{name}`, which is not configured")
        for name in profile.providers or []:
            if name not in provider_ids:
                where = ("profiles", index, "providers")
                problem(where, f"profile `{profile.name}` names provider `{name}`, which is not configured")
        if profile.prompt_template is not None:
            _check_template(profile.prompt_template, ("profiles", index, "prompt_template"), problem)


def _check_template(template: str, where: KeyPath, problem: Any) -> None:
    for slot in SLOTS:
        if slot not in template:
            problem(where, f"`prompt_template` lacks the slot {slot}")


def _check_doubles(section: str, names: list[Any], problem: Any, key: str = "name") -> None:
    for index, name in enumerate(names):
        if name is not None and name in names[:index]:
            problem((section, index, key), f"two [[{section}]] are called `{name}`: give one another {key}")


def _check_server(server: _Server, where: KeyPath, problem: Any) -> None:
    if (server.command is None) == (server.url is None):
        problem(where, f"server `{server.name}` takes either `command` or `url`")
    for key in server.model_extra or {}:
        near = next((known for known in _Server.model_fields if _distance(key, known) <= 2), None)
        if near is not None:
            problem((*where, key), f"unknown key `{key}` of server `{server.name}`; did you mean `{near}`?")


def _distance(a: str, b: str) -> int:
    """Levenshtein's distance."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, start=1):
        previous, row[0] = row[0], i
        for j, right in enumerate(b, start=1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (left != right))
    return row[-1]


# ── from the file's words to settings ────────────────────────────────────────────────────────────────────────────────


def _secret(name: str, environ: Mapping[str, str]) -> str | None:
    """A secret by name: systemd's credential file first, then the environment."""
    if folder := environ.get("CREDENTIALS_DIRECTORY"):
        credential = Path(folder) / name
        if credential.is_file():
            return credential.read_text(encoding="utf-8").strip() or None
    return environ.get(name, "").strip() or None


def _provider(entry: _Provider, file: _File, folder: Path, environ: Mapping[str, str]) -> ProviderSettings:
    models = tuple(
        ModelInfo(name=model) if isinstance(model, str) else ModelInfo.model_validate(model) for model in entry.models
    )
    default = entry.model or (models[0].name if models else "")
    if entry.id == file.default_provider and file.model:
        default = file.model
    return ProviderSettings(
        id=entry.id,
        type=entry.type,
        endpoint=entry.endpoint,
        api_key=_secret(entry.api_key, environ) if entry.api_key else None,
        api_key_name=entry.api_key,
        models=models,
        model=default,
        settings=dict(entry.model_extra or {}),
        config_dir=str(folder),
        **({"timeout_s": entry.timeout_s} if "timeout_s" in entry.model_fields_set else {}),
    )


def _server(entry: _Server, file: _File, folder: Path, state: Path, environ: Mapping[str, str]) -> ServerSettings:
    own = {key.upper(): _as_env(value) for key, value in (entry.model_extra or {}).items()}
    given = {name: environ[name] for name in entry.pass_env if name in environ}
    common = {"AGENTD_STATE": str(state)}
    if clock := environ.get("AGENTD_CLOCK"):
        common["AGENTD_CLOCK"] = clock
    if file.store.letters_url:
        common["LETTERS_DATABASE_URL"] = file.store.letters_url
    path = os.pathsep.join([str(Path(sys.executable).parent), environ.get("PATH", os.defpath)])
    return ServerSettings(
        name=entry.name,
        command=entry.command,
        args=tuple(entry.args),
        url=entry.url,
        headers=entry.headers,
        env={"PATH": path, **common, **own, **entry.env, **given},
        workdir=None if entry.workdir is None else str((folder / entry.workdir).resolve()),
        start_timeout_s=entry.start_timeout_s,
        call_timeout_s=entry.call_timeout_s,
        artifacts_dir=str(state / "artifacts"),
    )


def _as_env(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
