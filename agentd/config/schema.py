"""The shape of the daemon's own client.toml, one frozen pydantic model a section. It reads and compares nothing."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from agentd.errors import Language
from agentd.messages import ApprovalRule, ModelPrice, Scope


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _known(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (OSError, ValueError, KeyError):  # a folder, a path, a name that isn't there
        raise ValueError("no such time zone; write an IANA name: Asia/Jakarta, Asia/Makassar, Asia/Jayapura") from None


ZoneName = Annotated[str, AfterValidator(_known)]
"""A zone of time by its IANA name."""


class ToolSettings(Section):
    """One `[[tools]]` entry: what this office says of a tool, over what its server says."""

    name: str = Field(min_length=1)
    """The tool's name, as its server lists it."""
    description: str | None = None
    """What the model reads of it, in place of the server's words."""
    server: str | None = None
    """The server that offers it. Left out, the tool answers `unbound_tool` when called."""
    official: bool | None = None
    """Its arguments need evidence in the citizen's own words. Default: what the server marks (`agentd/official`)."""
    approval: ApprovalRule | None = None
    """Who must agree to each call. Default: `citizen` for an official tool, `never` for one that its server marks as
    changing nothing (`readOnlyHint`), for any other `citizen` at the counter and `staff` elsewhere."""
    four_eyes: bool | None = None
    """An officer's yes to their own call, or one that changes who it is about, needs a second officer's. Default: true
    for an official tool with `approval = "staff"`. An office of one officer can't issue what needs two: false."""
    timeout_s: float | None = Field(default=None, gt=0)
    """Seconds for one call, in place of the server's `call_timeout_s`."""
    bare: ClassVar[bool] = False
    """True for a tool given by its name alone: it is bound to the server that offers it."""


class BareTool(ToolSettings):
    """An entry of `tools = ["name", …]`."""

    bare: ClassVar[bool] = True


class AgentSettings(Section):
    """`[agent]`: the bounds of a run."""

    max_steps: int = Field(default=8, ge=1, le=64)
    """Tool calls in one run; `list_tools` counts."""
    max_tool_errors: int = Field(default=3, ge=1, le=16)
    """Failed calls after which the run ends with the last one's error."""
    deadline_s: float = Field(default=300.0, gt=0)
    """Seconds that a run may take."""
    max_tokens: int = Field(default=200_000, ge=1)
    """Tokens, read and written together, that a run may use."""
    history_tokens: int = Field(default=1500, ge=0)
    """Tokens (estimated) of the session's earlier turns that the model is shown; the newest that fit."""
    approval_ttl_s: float = Field(default=900.0, gt=0)
    """Seconds that a call waits for a human; then it can no longer be approved."""
    review_ttl_s: float = Field(default=3 * 24 * 3600.0, gt=0)
    """The same for a citizen's request that waits for an officer."""
    max_recoveries: int = Field(default=2, ge=1)
    """Times that a run is found unfinished after the daemon died, with no step done between; then it is parked."""
    max_tools_in_prompt: int = Field(default=24, ge=1)
    """Tools that a prompt describes: of more, the nearest ones; sixty more it names, `list_tools` finds all."""
    custom_instruction: str = ""
    """What fills the slot `{{custom_instruction}}`."""
    language: Literal["auto", Language] = "auto"
    """The language of answers and of a page just opened; `auto` follows the citizen, pages open in Indonesian."""


class RpcSettings(Section):
    """`[rpc]`: where agentd listens and what it takes."""

    listen: str = "127.0.0.1:8765"
    """HOST:PORT; port 0 takes a free one."""
    unix_socket: str | None = None
    """A unix socket that serves the same addresses."""
    unix_socket_mode: str = "0660"
    """That socket's permissions, in octal."""
    allowed_hosts: list[str] = Field(default_factory=list)
    """Names besides loopback's that a Host header may have."""
    allowed_origins: list[str] = Field(default_factory=list)
    """Origins whose pages may call; they need a token too."""
    trusted_proxies: list[str] = Field(default_factory=list)
    """Addresses of proxies whose `X-Forwarded-For` is believed; `unix` for one that comes by the unix socket."""
    max_body_bytes: int = Field(default=4 * 1024 * 1024, ge=1024)
    """Bytes of a request's body."""
    max_prompt_bytes: int = Field(default=8192, ge=16)
    """Bytes (UTF-8) of what a person may write in one message, over any channel."""
    max_batch: int = Field(default=50, ge=1)
    """Calls in one JSON-RPC batch."""
    rate_per_minute: int = Field(default=600, ge=1)
    """Calls a minute for a caller without a rate of its own; admins have no limit."""


class StoreSettings(Section):
    """`[store]`: where runs and sessions live. `url`: PostgreSQL shares the work between daemons."""

    url: str | None = None
    """A PostgreSQL URL; left out, SQLite files in the state folder. `${NAME}` in it is the credential NAME."""
    node: str | None = None
    """This daemon's name among several. Default: host name and state folder."""
    lease_s: float = Field(default=30.0, gt=0)
    """Seconds without a sign of life after which the others take over a node's runs."""
    concurrency: int = Field(default=256, ge=1)
    """Runs at work at once on this node."""
    global_concurrency: int | None = Field(default=None, ge=1)
    """The same over all nodes together."""
    queue_limit: int = Field(default=1000, ge=1)
    """Runs that may be under way or wait; beyond it a new one is refused as `busy`."""
    session_servers: list[str] | None = None
    """Servers that keep data of a session: asked to delete it (`delete_session_data`) with the session, no others. Left
    out, those that the apps name."""
    keep_visitors_h: float = Field(default=24.0, gt=0)
    """Hours after its last use that a kiosk's or chat's session is kept; then it is erased, issued letters stay."""
    keep_d: float = Field(default=30.0, gt=0)
    """Days after its last use that any other session is kept."""
    purge_every_s: float = Field(default=3600.0, ge=1)
    """Seconds between two checks for expired sessions."""
    letters_url: str | None = None
    """The database of the letters' register, for the letters' server alone; needed beside `url`."""


class TelemetrySettings(Section):
    """`[telemetry]`: traces are off unless an OTLP endpoint is named."""

    otlp_endpoint: str | None = None
    """Where traces are sent, as OTLP over HTTP."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """How much is said on standard error."""


class ProfileSettings(Section):
    """`[[profiles]]`: what the agent of one kind of caller is. `servers`/`tools` left out mean all of them."""

    name: str = Field(min_length=1)
    """Its name, as `agentd token add --profile` takes it."""
    servers: list[str] | None = None
    """Servers whose tools this agent has, of those that are `for` its caller."""
    tools: list[str] | None = None
    """Tools that this agent has."""
    custom_instruction: str | None = None
    """In place of `[agent]`'s."""
    prompt_template: str | None = None
    """In place of the file's."""
    providers: list[str] | None = None
    """Providers that may be asked; the first of them is asked first."""
    max_steps: int | None = Field(default=None, ge=1, le=64)
    """In place of `[agent]`'s."""
    deadline_s: float | None = Field(default=None, gt=0)
    """In place of `[agent]`'s."""
    max_tokens: int | None = Field(default=None, ge=1)
    """In place of `[agent]`'s."""
    in_prompt: list[str] | None = None
    """Servers whose tools are in the model's prompt; those of others are there to be called by name. Left out: all."""
    scopes: list[Scope] = Field(default_factory=list)
    """Callers with one of these scopes get this profile unless their token names another."""


class ExampleSettings(Section):
    """`[[examples]]`: one turn shown to the model, `user` or `result`, and the action; left out without its tool."""

    action: dict[str, Any]
    """What is right then: an action in the agent's own form."""
    user: str | None = None
    """What a citizen says."""
    result: dict[str, Any] | None = None
    """Or what a tool answered: {tool, success, output}."""


class ProviderEntry(Section, extra="allow"):
    id: str = Field(min_length=1)
    """Its name here and in answers."""
    type: str = Field(min_length=1)
    """The plug-in that speaks to it: `gemini`, `ollama`, `openai`, `llamacpp`, `scripted`, or another package's."""
    endpoint: str | None = None
    """Where it is. Default: the type's own."""
    api_key: str | None = None
    """The *name* of the key: a systemd credential, else an environment variable. Never the key itself."""
    models: list[str | dict[str, str]] = Field(default_factory=list)
    """What it offers: names, or `{ name = "…", display_name = "…" }`."""
    model: str | None = None
    """The model asked when nobody names one. Default: the first of `models`."""
    timeout_s: float = Field(default=60.0, gt=0)
    """Seconds until a turn must be answered whole; the embedded model has no limit unless it is set."""
    price: ModelPrice | None = None
    """What its tokens cost: `{ currency = "USD", input = 0.30, output = 2.50 }` a million; it is only shown."""


class ServerEntry(Section, extra="allow"):
    name: str = Field(min_length=1, pattern=r"^[A-Za-z0-9_.-]+$")
    """Its name here, in `Tools.list` and before the tools of a doubled name (`SERVER__TOOL`)."""
    command: str | None = None
    """The program to start, spoken to over stdio. Either this or `url`."""
    args: list[str] = Field(default_factory=list)
    """Its arguments."""
    env: dict[str, str] = Field(default_factory=dict)
    """Environment variables for it."""
    workdir: str | None = None
    """Where it starts, from the folder of this file. Without it, `python -m` finds installed modules alone."""
    url: str | None = None
    """A Streamable HTTP endpoint, not one of the older HTTP+SSE. Either this or `command`."""
    headers: dict[str, str] = Field(default_factory=dict)
    """HTTP headers for `url`. `${NAME}` in one is that credential: `{ Authorization = "Bearer ${books_token}" }`."""
    credentials: list[str] = Field(default_factory=list)
    """Names of the credentials that it alone gets, as files in its CREDENTIALS_DIRECTORY. One missing: no start."""
    pass_env: list[str] = Field(default_factory=list)
    """Names of the daemon's environment variables that it may see."""
    audience: list[Scope] | None = Field(default=None, alias="for")
    """Whose agents have its tools, by scope; left out, everybody's. Staff and admin call any by name (`Tools.call`)."""
    approval: dict[str, ApprovalRule] = Field(default_factory=dict)
    """{tool: who must agree to each call of it}, for this server's tools; `[[tools]] approval` comes before it."""
    official: list[str] = Field(default_factory=list)
    """Names of its tools whose arguments need evidence in the citizen's own words; `[[tools]]` comes before it."""
    model: bool = False
    """Give it AGENTD_MODEL_URL and AGENTD_MODEL_TOKEN: the daemon's own models."""
    later: bool = False
    """Start it once the daemon is ready; a call to it waits until it is up. So it is with `model` too."""
    start_timeout_s: float = Field(default=30.0, gt=0)
    """Seconds until it must have answered at its start, which the daemon waits for unless it starts `later`."""
    call_timeout_s: float = Field(default=60.0, gt=0)
    """Seconds for one call."""

    def tool_settings(self) -> dict[str, ToolSettings]:
        """{tool: what `approval` and `official` say of it}."""
        return {
            tool: ToolSettings(
                name=tool, server=self.name, approval=self.approval.get(tool), official=tool in self.official or None
            )
            for tool in (*self.approval, *self.official)
        }


class ClientFile(Section):
    default_provider: str
    """The `id` of the provider asked first; the others follow in the order of the file."""
    model: str | None = None
    """The model asked of the default provider."""
    prompt_template: str
    """The system text, with the slots `{{custom_instruction}}`, `{{language_guidance}}` and `{{tool_guidance}}`."""
    providers: list[ProviderEntry] = Field(default_factory=list)
    """Language models."""
    servers: list[ServerEntry] = Field(default_factory=list)
    """MCP servers."""
    timezone: ZoneName = "Asia/Jakarta"
    """The office's zone: its day is that of letters, queue numbers and figures. Read at the start."""
    tool_host: str = "mcp"
    """What reaches the servers: an entry of `agentd.tool_hosts` of an installed package."""
    tools: list[ToolSettings | str] | None = None
    """Which tools there are, and this office's rules for them. Left out, all; one entry makes it the whole list."""
    profiles: list[ProfileSettings] = Field(default_factory=list)
    """Other agents for other callers."""
    glossary: dict[str, str] = Field(default_factory=dict)
    """{this office's word: what it means}; the model reads it after `custom_instruction`, in the same slot."""
    examples: list[ExampleSettings] = Field(default_factory=list)
    """Turns shown to the model before the conversation."""
    agent: AgentSettings = AgentSettings()
    """The bounds of a run."""
    rpc: RpcSettings = RpcSettings()
    """Where agentd listens and what it takes."""
    store: StoreSettings = StoreSettings()
    """Where runs and sessions live."""
    telemetry: TelemetrySettings = TelemetrySettings()
    """Logs and traces."""

    @property
    def bound(self) -> tuple[ToolSettings, ...] | None:
        """The entries of `tools`."""
        named = (BareTool(name=entry) if isinstance(entry, str) else entry for entry in self.tools or ())
        return None if self.tools is None else tuple(named)
