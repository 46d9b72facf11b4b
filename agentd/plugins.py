"""Loads plugins by entry point from any installed package: provider types, tool hosts and apps. It names none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from agentd.application import App
from agentd.config.faults import explain
from agentd.errors import ConfigError, Problem
from agentd.installed import installed, load
from agentd.ports import ChatModel, Meaning

MODELS, TOOL_HOSTS, APPS = "agentd.models", "agentd.tool_hosts", "agentd.apps"
FALLBACK = "fallback"
"""The entry of `agentd.models` that is not a provider but their chain."""


def plugin(group: str, name: str) -> Callable[..., Any]:
    """Load the plugin registered under that name (`agentd.config.check` lists the names). Raises PluginError."""
    loaded: Callable[..., Any] = load(installed(group)[name])
    return loaded


def models(settings: Any) -> list[ChatModel]:
    """Build every configured provider. Raises ConfigError that names each one that cannot be built."""
    built: list[ChatModel] = []
    problems: list[Problem] = []
    for at, provider in enumerate(settings.providers):
        try:
            built.append(plugin(MODELS, provider.type)(provider))
        except ValidationError as error:  # of its own keys
            for where, text in (explain(detail, {}) for detail in error.errors()):
                problems.append(settings.problem(("providers", at, *where), f"provider `{provider.id}`: {text}"))
        except ValueError as error:
            problems.append(settings.problem(("providers", at), f"provider `{provider.id}`: {error}"))
    if problems:
        raise ConfigError(problems)
    return built


def meaning() -> Meaning | None:
    """Create the comparison of texts by meaning; None if it is not installed."""
    made: Meaning | None = plugin("agentd.meanings", "bundled")()
    return made


def apps() -> list[type[App]]:
    """Load every installed app, sorted by name. Raises PluginError that names an app that cannot be loaded."""
    return [load(entry) for entry in installed(APPS).values()]
