"""The shape of client.toml, one frozen pydantic model a section. It reads nothing and compares no sections."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agentd.messages import ApprovalRule, Scope


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ToolSettings(Section):
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


class AgentSettings(Section):
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


class RpcSettings(Section):
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


class StoreSettings(Section):
    """`[store]`: where runs and sessions live. `url`: PostgreSQL shares the work between daemons."""

    url: str | None = None
    node: str | None = None
    lease_s: float = Field(default=30.0, gt=0)
    concurrency: int = Field(default=256, ge=1)
    global_concurrency: int | None = Field(default=None, ge=1)
    queue_limit: int = Field(default=1000, ge=1)
    letters_url: str | None = None


class TelemetrySettings(Section):
    """`[telemetry]`: traces are off unless an OTLP endpoint is named."""

    otlp_endpoint: str | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"


class ProfileSettings(Section):
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


class ExampleSettings(Section):
    """`[[examples]]`: one turn shown to the model: a citizen's words (`user`) or a tool's `result`, and the action.

    It is left out where the tool it names is not there.
    """

    action: dict[str, Any]
    user: str | None = None
    result: dict[str, Any] | None = None


class AnalyticsSettings(Section):
    """`[analytics]`: how questions to the books are planned."""

    plan_style: Literal["sql", "operations"] = "sql"
    deadline_s: float = Field(default=180.0, gt=0)


class ProviderEntry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    id: str = Field(min_length=1)
    type: str = Field(min_length=1)
    endpoint: str | None = None
    api_key: str | None = None
    models: list[str | dict[str, str]] = Field(default_factory=list)
    model: str | None = None
    timeout_s: float = Field(default=60.0, gt=0)


class ServerEntry(BaseModel):
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
    later: bool = False
    start_timeout_s: float = Field(default=30.0, gt=0)
    call_timeout_s: float = Field(default=60.0, gt=0)


class ClientFile(Section):
    default_provider: str
    model: str | None = None
    prompt_template: str
    providers: list[ProviderEntry] = Field(default_factory=list)
    servers: list[ServerEntry] = Field(default_factory=list)
    tools: list[ToolSettings | str] | None = None
    profiles: list[ProfileSettings] = Field(default_factory=list)
    examples: list[ExampleSettings] = Field(default_factory=list)
    agent: AgentSettings = AgentSettings()
    rpc: RpcSettings = RpcSettings()
    store: StoreSettings = StoreSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    analytics: AnalyticsSettings = AnalyticsSettings()
