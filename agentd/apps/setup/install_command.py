"""`agentd install --user|--system`: writes the systemd units for this machine. It starts nothing.

The units are the templates in systemd/, filled with this machine's program, client.toml and credentials.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentd.cli import options
from agentd.errors import CommandError

HIDDEN = ("/home", "/root", "/run/user")
"""Folders that ProtectHome=yes hides from the service."""
NODE = frozenset({"node", "npx", "npm", "bun", "deno"})
DROP_IN = "agentd.service.d/node.conf"
SERVER = "agentd-server@.service"
"""For a server as another user; it does nothing until somebody starts it for a server."""
OF_AN_OFFICE = ("office.toml", "letters/*.toml", "letters/*/*")
"""What people write beside client.toml, and the books' glossary by its name there; `state` and `credentials` may stand
there too and are never copied."""
SYSTEM_ONLY = (
    "After=network-online",
    "Wants=network-online",
    "LoadCredential=",
    "SetCredential=",
    "DynamicUser=",
    "CapabilityBoundingSet=",
    "AmbientCapabilities=",
    "Private",
    "Protect",
    "ProcSubset=",
    "RemoveIPC=",
    "StateDirectoryMode=",
    "CacheDirectory=",
    "RuntimeDirectory=",
)
"""Lines that need rights which a user's service manager lacks; those that only need seccomp stay."""


class CannotInstall(CommandError):
    """Why the units can't be written, and what to do."""


def register(commands: Any) -> None:
    parser = options.command(commands, "install", "write the systemd units for this machine", run)
    whose = parser.add_mutually_exclusive_group(required=True)
    whose.add_argument("--system", action="store_true", help="for all users, hardened; run as root")
    whose.add_argument("--user", action="store_true", help="for your user, under its own service manager")
    parser.add_argument("--dry-run", action="store_true", help="print the files and write none")


def run(given: argparse.Namespace) -> int:
    """Return 0 if the files were written (or printed). Raises CannotInstall, OSError."""
    from agentd import config

    settings = config.load(given.config, state=given.state)
    program = Path(sys.executable).absolute().with_name("agentd")
    files = units(settings, program, system=given.system)
    if given.dry_run:
        for path, text in files.items():
            print(f"# {path}\n{text}")
        return 0
    if given.system:
        check_reachable(program)
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except PermissionError as error:
            raise CannotInstall(f"{error.filename} can't be written; run it as root, or use --user") from None
        print(path)
    print("now: " + next_step(system=given.system))
    return 0


def units(settings: Any, program: Path, *, system: bool) -> dict[Path, str]:
    """{path: text} of every file to write. Without a client.toml there, it includes that and the office beside it."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path(os.environ.get("HOME", "/")) / ".config")
    folder = Path("/etc/systemd/system") if system else home / "systemd" / "user"
    kept = Path("/etc/agentd/client.toml") if system else home / "agentd" / "client.toml"
    keys = [provider.api_key_name for provider in settings.providers if provider.api_key_name]
    keys = list(dict.fromkeys([*keys, *settings.credential_names]))
    service, listening = (_template(name) for name in ("agentd.service", "agentd.socket"))
    files = {
        folder / "agentd.service": "\n".join(_service(service, program, kept, keys, system)) + "\n",
        folder / "agentd.socket": "\n".join(_socket(listening, settings.rpc.listen, system)) + "\n",
    }
    if system:
        python = f"ExecStart={program.with_name('python')} "
        files[folder / SERVER] = _template(SERVER).replace("ExecStart=/opt/agentd/.venv/bin/python ", python)
    if any(Path(server.command or "").name in NODE for server in settings.servers):
        files[folder / DROP_IN] = _template(DROP_IN)
    if not kept.exists():
        files[kept] = settings.file.read_text(encoding="utf-8")
        glossary = str(getattr(settings.sections.get("books"), "glossary", ""))
        files |= _beside(settings.file.resolve().parent, kept.parent, glossary)
    return files


def _beside(office: Path, target: Path, glossary: str) -> dict[Path, str]:
    """The office's own files beside client.toml; none for the default office, whose files are found where they ship."""
    from agentd.config import shipped

    if office == shipped("client.toml").parent:
        return {}
    own = [file for pattern in OF_AN_OFFICE for file in office.glob(pattern)] + [(office / glossary).resolve()]
    kept = (file for file in own if file.is_file() and file.is_relative_to(office))
    return {target / file.relative_to(office): file.read_text(encoding="utf-8") for file in kept}


def next_step(*, system: bool) -> str:
    """The commands that start the written units."""
    manager = "systemctl" if system else "systemctl --user"
    return f"{manager} daemon-reload && {manager} enable --now agentd.socket agentd.service"


def _service(template: str, program: Path, kept: Path, keys: list[str], system: bool) -> Iterator[str]:
    for line in template.splitlines():
        if not system and line.startswith(SYSTEM_ONLY):
            continue
        if line.startswith("ExecStart="):
            yield f"ExecStart={program} serve --config {kept}"
            if not system:
                yield "EnvironmentFile=-%E/agentd/environment"
        elif line.startswith("Environment=") and not system:
            yield "Environment=AGENTD_STATE=%S/agentd PYTHONDONTWRITEBYTECODE=1"
        elif line.startswith("LoadCredential="):
            yield from (f"LoadCredential={key}:/etc/agentd/credentials/{key}" for key in keys)
        elif line.startswith("SetCredential="):
            yield from (rf"SetCredential={key}:\n" for key in keys)
        elif line.startswith("#") and "credential" in line and not system:
            yield "# Keys never stand in the unit: NAME=value lines of this file, which only you may read."
        elif line == "WantedBy=multi-user.target" and not system:
            yield "WantedBy=default.target"
        else:
            yield line


def _socket(template: str, listen: str, system: bool) -> Iterator[str]:
    for line in template.splitlines():
        if line.startswith("ListenStream=/"):
            yield line if system else "ListenStream=%t/agentd.sock"
        elif line.startswith("ListenStream="):
            yield f"ListenStream={listen}"
        else:
            yield line


def _template(name: str) -> str:
    """The text of a template: from systemd/ in a checkout, or from share/agentd if installed. Raises CannotInstall."""
    places = (Path(__file__).parents[3] / "systemd" / name, Path(sys.prefix) / "share" / "agentd" / "systemd" / name)
    for place in places:
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise CannotInstall(f"the template {name} is neither at {places[0]} nor at {places[1]}; install agentd again")


def check_reachable(program: Path) -> None:
    """Raise CannotInstall if the hardened service can't see its own program."""
    real = program.resolve() if program.exists() else program
    for hidden in HIDDEN:
        if real.is_relative_to(hidden) or program.is_relative_to(hidden):
            raise CannotInstall(
                f"{program} lies under {hidden}, which the hardened service can't see (ProtectHome=yes); "
                "install agentd elsewhere, for example in /opt/agentd, or use --user"
            )
