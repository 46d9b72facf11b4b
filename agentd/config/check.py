"""Finds mistakes in a client.toml and says how to fix them: unknown keys with the nearest known one, conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from agentd.clock import shared
from agentd.config import sections
from agentd.config.faults import known_keys, meant
from agentd.config.lines import Path as KeyPath
from agentd.config.schema import ClientFile, ServerEntry
from agentd.config.sections import Report
from agentd.credentials import open_password, wrong_name
from agentd.installed import installed

SLOTS = ("{{custom_instruction}}", "{{language_guidance}}", "{{tool_guidance}}")
"""Slots that `prompt_template` must contain; the prompt's parts are inserted there."""


def check(parsed: ClientFile, problem: Report, warning: Report) -> None:
    """Report mistakes across the parts of the file."""
    own = [name for section in sections.of(parsed).values() for name in section.own_tools()]
    servers = [*dict.fromkeys(server.name for server in parsed.servers), *own]
    _check_template(parsed.prompt_template, ("prompt_template",), problem)
    _check_addresses(parsed, problem)
    _check_examples(parsed, problem)
    check_doubles("servers", [server.name for server in parsed.servers], problem)
    check_doubles("profiles", [profile.name for profile in parsed.profiles], problem)
    _check_providers(parsed, problem, warning)
    for index, server in enumerate(parsed.servers):
        if server.name in own:
            text = f"`{server.name}` is the name of the daemon's own tools; choose another"
            problem(("servers", index, "name"), text)
        _check_server(server, ("servers", index), problem)
    if parsed.tool_host not in (hosts := installed("agentd.tool_hosts")):
        near = meant(parsed.tool_host, hosts)
        problem(("tool_host",), f"no installed plug-in is the tool host `{parsed.tool_host}`{near}")
    check_plugins("providers", "models", [(entry.id, entry) for entry in parsed.providers], problem)
    for section in sections.of(parsed).values():
        section.check(parsed, problem, warning)
    _check_tools(parsed, servers, problem, warning)
    _check_trusted(parsed, servers, problem)
    _check_profiles(parsed, servers, problem)


def is_address(text: str) -> bool:
    """Whether it is HOST:PORT."""
    host, _, port = text.rpartition(":")
    return bool(host) and "/" not in host and port.isdecimal() and int(port) < 2**16


def is_web_address(text: str) -> bool:
    """Whether it is the address of a page or server."""
    return "${" in text or text.startswith(("http://", "https://", "unix:"))


def _check_addresses(parsed: ClientFile, problem: Report) -> None:
    for name in parsed.rpc.allowed_hosts:
        if "/" in name:
            problem(("rpc", "allowed_hosts"), f"`{name}` is no host name, such as `surat.example.go.id`")
    for origin in parsed.rpc.allowed_origins:
        if not is_web_address(origin) or origin.count("/") > 2:
            problem(("rpc", "allowed_origins"), f"`{origin}` is no origin, such as `https://surat.example.go.id`")
    if parsed.store.url and not parsed.store.url.startswith(("postgresql://", "postgres://", "${")):
        problem(("store", "url"), "`url` takes postgresql://HOST:5432/DATABASE; left out, files in the state folder")
    for name, url in (("url", parsed.store.url), ("letters_url", parsed.store.letters_url)):
        if url and (wrong := open_password(url)):
            problem(("store", name), wrong)


def _check_examples(parsed: ClientFile, problem: Report) -> None:
    needed = {"call_tool": "tool", "list_tools": "action", "final": "response"}
    for index, example in enumerate(parsed.examples):
        if needed.get(str(example.action.get("action"))) not in example.action:
            text = (
                'an action is { action = "call_tool", tool = "…", input = {…} } or { action = "final", response = "…" }'
            )
            problem(("examples", index, "action"), text)


def with_shared_clock(environ: Mapping[str, str], problem: Report) -> Mapping[str, str]:
    """The environment with AGENTD_CLOCK normalised, so that the daemon and its servers read the same time."""
    if not (setting := environ.get("AGENTD_CLOCK")):
        return environ
    try:
        return {**environ, "AGENTD_CLOCK": shared(setting)}
    except ValueError:
        problem((), f"AGENTD_CLOCK is `{setting}`, which is no ISO time, such as 2026-03-05T09:15:00+07:00")
        return environ


def _check_providers(parsed: ClientFile, problem: Report, warning: Report) -> None:
    names = [provider.id for provider in parsed.providers]
    check_doubles("providers", names, problem, key="id")
    if not names:
        problem((), "no [[providers]]: at least one model provider is needed")
    elif parsed.default_provider not in names:
        near = meant(parsed.default_provider, names)
        problem(("default_provider",), f"default_provider `{parsed.default_provider}` is no [[providers]] id{near}")
    for index, provider in enumerate(parsed.providers):
        offered = [model["name"] if isinstance(model, dict) else model for model in provider.models if model]
        if provider.id == parsed.default_provider and parsed.model and offered and parsed.model not in offered:
            text = f"`model` {parsed.model} is none of provider `{provider.id}`, which has {', '.join(offered)}"
            warning(("model",), text)
        if provider.endpoint and not is_web_address(provider.endpoint):
            text = f"`{provider.endpoint}` is no address that starts with http:// or https://"
            problem(("providers", index, "endpoint"), text)
        if provider.api_key and (wrong := wrong_name(provider.api_key)):
            problem(("providers", index, "api_key"), wrong)
        for position, model in enumerate(provider.models):
            if isinstance(model, dict) and ("name" not in model or model.keys() - {"name", "display_name"}):
                text = f"`models[{position}]` of provider `{provider.id}` takes `name` and `display_name`"
                problem(("providers", index, "models"), text)


def _check_tools(parsed: ClientFile, servers: list[str], problem: Report, warning: Report) -> None:
    bound = parsed.bound or ()
    everywhere = {tool.name.casefold() for tool in bound if tool.bare}
    names = [(tool.name.casefold(), tool.server) for tool in bound]
    once = [name if name in everywhere or server is None else f"{server}__{name}" for name, server in names]
    check_doubles("tools", once, problem)
    for index, tool in enumerate(bound):
        if tool.server is None:
            if not tool.bare:
                warning(("tools", index), f"tool `{tool.name}` names no server: it answers `unbound_tool` when called")
        elif tool.server not in servers:
            near = meant(tool.server, servers)
            where = ("tools", index, "server")
            problem(where, f"tool `{tool.name}` is bound to server `{tool.server}`, which is not configured{near}")


def _check_profiles(parsed: ClientFile, servers: list[str], problem: Report) -> None:
    providers = [provider.id for provider in parsed.providers]
    for index, profile in enumerate(parsed.profiles):
        for key, known in (("servers", servers), ("in_prompt", servers), ("providers", providers)):
            kind = "provider" if known is providers else "server"
            for name in [name for name in getattr(profile, key) or () if name not in known]:
                text = f"profile `{profile.name}` names {kind} `{name}`, which is not configured"
                problem(("profiles", index, key), text)
        if profile.prompt_template is not None:
            _check_template(profile.prompt_template, ("profiles", index, "prompt_template"), problem)


def _check_trusted(parsed: ClientFile, server_names: list[str], problem: Report) -> None:
    """Check the servers that the daemon itself uses: a default may be missing, but one that is written must exist."""
    written: list[tuple[KeyPath, str]] = [
        ((key, "server"), section.model_dump()["server"])
        for key, section in sections.of(parsed).items()
        if "server" in section.model_fields_set
    ]
    written += [(("store", "session_servers"), name) for name in parsed.store.session_servers or ()]
    for where, name in written:
        if name not in server_names:
            near = meant(name, server_names)
            problem(where, f"`{'.'.join(map(str, where))}` names server `{name}`, which is not configured{near}")


def _check_template(template: str, where: KeyPath, problem: Report) -> None:
    for slot in SLOTS:
        if slot not in template:
            problem(where, f"`prompt_template` lacks the slot {slot}")


def check_doubles(section: str, names: Sequence[Any], problem: Report, key: str = "name") -> None:
    first: dict[Any, int] = {}
    to_do = "leave one out" if section == "tools" else f"give one another {key}"
    for index, name in enumerate(names):
        if name is not None and first.setdefault(name, index) < index:
            problem((section, index, key), f"two [[{section}]] are called `{name}`: {to_do}")


def _check_server(server: ServerEntry, where: KeyPath, problem: Report) -> None:
    if (server.command is None) == (server.url is None):
        problem(where, f"server `{server.name}` takes either `command` or `url`")
    if server.url is not None and not is_web_address(server.url):
        problem((*where, "url"), f"`{server.url}` is no address that starts with http:// or https://")
    if server.url is not None and server.credentials:
        text = f"server `{server.name}` is not started by agentd, so no files reach it: "
        problem((*where, "credentials"), f"{text}name the credential in `headers`, as `${{NAME}}`")
    for name in server.credentials:
        if wrong := wrong_name(name):
            problem((*where, "credentials"), wrong)
    _check_own_keys(server, f"server `{server.name}`", where, problem)


def _check_own_keys(entry: BaseModel, called: str, where: KeyPath, problem: Report) -> None:
    """Report an entry's own keys that are almost a known key: these are typing mistakes."""
    for key in entry.model_extra or {}:
        bare = key.replace("_", "")
        slips = (known for known in known_keys(type(entry)) if _is_slip(bare, known.replace("_", "")))
        if (near := next(slips, None)) is not None:
            problem((*where, key), f"unknown key `{key}` of {called}; did you mean `{near}`?")


def _is_slip(key: str, known: str) -> bool:
    """Whether the Levenshtein distance is at most 2, or 1 for a known key of up to 4 letters (`style` is no `type`)."""
    row = list(range(len(known) + 1))
    for number, letter in enumerate(key, start=1):
        above, row = row, [number]
        for at, other in enumerate(known):
            row.append(min(row[at] + 1, above[at + 1] + 1, above[at] + (letter != other)))
    return row[-1] <= (1 if len(known) <= 4 else 2)


def check_plugins(section: str, kind: str, entries: Sequence[tuple[str, Any]], problem: Report) -> None:
    """Check that each entry (name, entry) has an installed plug-in and no misspelt key."""
    spoken = installed(f"agentd.{kind}").keys() - {"fallback"} if entries else set()
    for index, (name, entry) in enumerate(entries):
        called, where = f"{section[:-1]} `{name}`", (section, index)
        if entry.type not in spoken:
            near = meant(entry.type, sorted(spoken))
            late = "" if "mean" in near else "; a running daemon finds what was installed since at its next start"
            text = f"no installed plug-in speaks `{entry.type}`, the type of {called}{near}{late}"
            problem((*where, "type"), text)
        _check_own_keys(entry, called, where, problem)
