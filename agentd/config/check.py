"""Finds mistakes in a client.toml and says how to fix them: unknown keys with the nearest known one, conflicts."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from agentd.clock import shared
from agentd.config import sections
from agentd.config.lines import Path as KeyPath
from agentd.config.schema import BareTool, ClientFile, ServerEntry
from agentd.config.sections import Report
from agentd.credentials import wrong_name
from agentd.installed import installed

SLOTS = ("{{custom_instruction}}", "{{language_guidance}}", "{{tool_guidance}}")
"""Slots that `prompt_template` must contain; the prompt's parts are inserted there."""


def _known_keys(section: type[BaseModel]) -> tuple[str, ...]:
    """A section's keys, named as in the file."""
    return tuple(field.alias or name for name, field in section.model_fields.items())


def _sections(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in a field's annotation, alone or in a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _sections(part)


@cache
def _known() -> Mapping[str, tuple[str, ...]]:
    """{section: its keys}, with the key "" for the file itself."""
    file = sections.client_file()
    return {"": _known_keys(file)} | {
        name: _known_keys(section)
        for name, field in file.model_fields.items()
        for section in _sections(field.annotation)
    }


_QUOTED = re.compile("'([^']*)'")
_BRANCHES = ("ToolSettings", "dict[str,str]")
"""Pydantic's names of the union branches for tables where a bare name may stand (`[[tools]]`, `models`)."""


def of_other_branch(detail: Any) -> bool:
    """Whether a pydantic error is about the wrong union branch: a table where a bare name is tried, or the reverse."""
    branch, given = detail["loc"][-1], detail.get("input")
    return (branch == "str" and isinstance(given, dict)) or (branch in _BRANCHES and isinstance(given, str))


def path_of(detail: Any) -> KeyPath:
    """The key path of a pydantic error: its `loc` without the names of union branches."""
    return tuple(part for part in detail["loc"] if part not in ("str", *_BRANCHES))


def explain(detail: Any, raw: dict[str, Any]) -> tuple[KeyPath, str]:
    """A pydantic error as (key path, sentence)."""
    where = path_of(detail)
    name = ".".join(str(part) for part in where)
    kind = detail["type"]
    section = str(where[0]) if len(where) > 1 else ""
    if kind == "extra_forbidden":
        return where, f"unknown key `{where[-1]}`{_meant(str(where[-1]), _known().get(section, ()))}"
    if kind == "missing":
        unknown = [str(key) for key in table_at(raw, where[:-1]) or () if key not in _known().get(section, ())]
        near = _meant(str(where[-1]), unknown, found=True)
        return where[:-1] if len(where) > 1 else (), f"`{name}` is missing{near}"
    wanted = str(detail["msg"]).replace("Input should be ", "should be ").removeprefix("Value error, ")
    wanted = wanted.replace("a valid dictionary", "a table")
    given = detail.get("input")
    near = _meant(given, _QUOTED.findall(wanted)) if kind == "literal_error" and isinstance(given, str) else ""
    return where, f"`{name}` {wanted}, not {_shown(given)}{near if 'mean' in near else ''}"


def table_at(raw: Any, where: KeyPath) -> dict[Any, Any] | None:
    """The table at this key path, or None."""
    for part in where:
        try:
            raw = raw[part]
        except (KeyError, IndexError, TypeError):
            return None
    return raw if isinstance(raw, dict) else None


def meant_key(key: str, known: Iterable[str]) -> str | None:
    """The known key that is most like this one, or None."""
    return next(iter(difflib.get_close_matches(key, list(known), n=1)), None)


def _meant(key: str, known: Iterable[str], *, found: bool = False) -> str:
    known = list(known)
    near = meant_key(key, known)
    if near is None:
        return "" if found or not known else f"; known here: {', '.join(known)}"
    return f"; is it what `{near}` was meant to be?" if found else f"; did you mean `{near}`?"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"


def check(parsed: ClientFile, problem: Report, warning: Report) -> None:
    """Report mistakes across the parts of the file."""
    own = [name for section in sections.of(parsed).values() for name in section.own_tools()]
    servers = [*dict.fromkeys(server.name for server in parsed.servers), *own]
    _check_template(parsed.prompt_template, ("prompt_template",), problem)
    check_doubles("servers", [server.name for server in parsed.servers], problem)
    check_doubles("profiles", [profile.name for profile in parsed.profiles], problem)
    _check_providers(parsed, problem, warning)
    for index, server in enumerate(parsed.servers):
        if server.name in own:
            problem(
                ("servers", index, "name"), f"`{server.name}` is the name of the daemon's own tools; choose another"
            )
        _check_server(server, ("servers", index), problem)
    if parsed.tool_host not in (hosts := installed("agentd.tool_hosts")):
        near = _meant(parsed.tool_host, hosts)
        problem(("tool_host",), f"no installed plug-in is the tool host `{parsed.tool_host}`{near}")
    check_plugins("providers", "models", [(entry.id, entry) for entry in parsed.providers], problem)
    for section in sections.of(parsed).values():
        section.check(parsed, problem, warning)
    _check_tools(parsed, servers, problem, warning)
    _check_trusted(parsed, servers, problem)
    _check_profiles(parsed, servers, problem)


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
        near = _meant(parsed.default_provider, names)
        problem(("default_provider",), f"default_provider `{parsed.default_provider}` is no [[providers]] id{near}")
    for index, provider in enumerate(parsed.providers):
        offered = [model["name"] if isinstance(model, dict) else model for model in provider.models if model]
        if provider.id == parsed.default_provider and parsed.model and offered and parsed.model not in offered:
            text = f"`model` {parsed.model} is none of provider `{provider.id}`, which has {', '.join(offered)}"
            warning(("model",), text)
        if provider.api_key and (wrong := wrong_name(provider.api_key)):
            problem(("providers", index, "api_key"), wrong)
        for position, model in enumerate(provider.models):
            if isinstance(model, dict) and ("name" not in model or model.keys() - {"name", "display_name"}):
                text = f"`models[{position}]` of provider `{provider.id}` takes `name` and `display_name`"
                problem(("providers", index, "models"), text)


def _check_tools(parsed: ClientFile, servers: list[str], problem: Report, warning: Report) -> None:
    for index, entry in enumerate(parsed.tools or []):
        tool = BareTool(name=entry) if isinstance(entry, str) else entry
        if tool.server is None:
            if not tool.bare:
                warning(("tools", index), f"tool `{tool.name}` names no server: it answers `unbound_tool` when called")
        elif tool.server not in servers:
            near = _meant(tool.server, servers)
            where = ("tools", index, "server")
            problem(where, f"tool `{tool.name}` is bound to server `{tool.server}`, which is not configured{near}")


def _check_profiles(parsed: ClientFile, servers: list[str], problem: Report) -> None:
    providers = [provider.id for provider in parsed.providers]
    for index, profile in enumerate(parsed.profiles):
        for key, kind, known in (
            ("servers", "server", servers),
            ("in_prompt", "server", servers),
            ("providers", "provider", providers),
        ):
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
            near = _meant(name, server_names)
            problem(where, f"`{'.'.join(map(str, where))}` names server `{name}`, which is not configured{near}")


def _check_template(template: str, where: KeyPath, problem: Report) -> None:
    for slot in SLOTS:
        if slot not in template:
            problem(where, f"`prompt_template` lacks the slot {slot}")


def check_doubles(section: str, names: list[Any], problem: Report, key: str = "name") -> None:
    for index, name in enumerate(names):
        if name is not None and name in names[:index]:
            problem((section, index, key), f"two [[{section}]] are called `{name}`: give one another {key}")


def _check_server(server: ServerEntry, where: KeyPath, problem: Report) -> None:
    if (server.command is None) == (server.url is None):
        problem(where, f"server `{server.name}` takes either `command` or `url`")
    if server.url is not None and server.credentials:
        text = (
            f"server `{server.name}` is not started by agentd, so no files reach it: name the credential in `headers`"
        )
        problem((*where, "credentials"), f"{text}, as `${{NAME}}`")
    for name in server.credentials:
        if wrong := wrong_name(name):
            problem((*where, "credentials"), wrong)
    _check_own_keys(server, f"server `{server.name}`", where, problem)


def _check_own_keys(entry: BaseModel, called: str, where: KeyPath, problem: Report) -> None:
    """Report an entry's own keys that are almost a known key: these are typing mistakes."""
    for key in entry.model_extra or {}:
        near = next((known for known in _known_keys(type(entry)) if _is_slip(key, known)), None)
        if near is not None:
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
            near = _meant(entry.type, sorted(spoken))
            late = "" if "mean" in near else "; a running daemon finds what was installed since at its next start"
            text = f"no installed plug-in speaks `{entry.type}`, the type of {called}{near}{late}"
            problem((*where, "type"), text)
        _check_own_keys(entry, called, where, problem)
