"""Plugins by entry point: a provider type, a tool host or an app, from any installed package. It knows none of them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import Any

from agentd.application import App
from agentd.errors import ConfigError, PluginError, Problem
from agentd.installed import advice, installed
from agentd.ports import ChatModel, Meaning

MODELS, TOOL_HOSTS, APPS = "agentd.models", "agentd.tool_hosts", "agentd.apps"
FALLBACK = "fallback"
"""The one entry of `agentd.models` that is no provider but the chain of them."""


def plugin(group: str, name: str) -> Callable[..., Any]:
    """What an installed package registered under that name. `agentd.config.check` says which there are."""
    loaded: Callable[..., Any] = installed(group)[name].load()
    return loaded


def models(settings: Any) -> list[ChatModel]:
    """Every configured provider, built. Raises ConfigError naming each that cannot be."""
    built: list[ChatModel] = []
    problems: list[Problem] = []
    for provider in settings.providers:
        try:
            built.append(plugin(MODELS, provider.type)(provider))
        except ValueError as error:
            problems.append(Problem(settings.file, 1, f"provider `{provider.id}`: {error}"))
    if problems:
        raise ConfigError(problems)
    return built


def meaning() -> Meaning:
    """How near texts are in meaning, as what is installed says it."""
    made: Meaning = plugin("agentd.meanings", "bundled")()
    return made


def apps() -> list[type[App]]:
    """Every installed app, in the order of their names. Raises PluginError naming one that cannot be loaded."""
    return [_app(entry) for entry in installed(APPS).values()]


def _app(entry: EntryPoint) -> type[App]:
    try:
        app: type[App] = entry.load()
    except Exception as error:
        missing = advice(error) if isinstance(error, ModuleNotFoundError) else None
        why = missing or f"{type(error).__name__}: {error}"
        raise PluginError(f"the app `{entry.name}` ({entry.value}) cannot be loaded: {why}") from error
    return app
