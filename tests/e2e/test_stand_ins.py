"""A daemon started from the disk loads nothing of what its libraries import and it never uses, and works without it."""

from __future__ import annotations

import py_compile
import ssl
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from agentd import stand_ins
from tests.daemon import call, final, running

UNUSED = ("psycopg", "cryptography", "_yaml")
"""In the names of files that a process has mapped, where it loaded them."""


@pytest.mark.cold
def test_a_daemon_answers_by_its_tools_without_a_driver_for_postgresql_or_the_server_half_of_mcp(
    tmp_path: Path,
) -> None:
    with running(tmp_path, call("get_current_time", timezone="Asia/Jakarta"), final("Sudah sore.")) as daemon:
        answer = daemon.call("Agent.run", prompt="Jam berapa sekarang?")
        assert daemon.process is not None
        mapped = Path(f"/proc/{daemon.process.pid}/maps").read_text()
    assert (answer["response"], [step["success"] for step in answer["steps"]]) == ("Sudah sore.", [True])
    assert [name for name in UNUSED if name in mapped] == []


@pytest.mark.slow
def test_what_is_imported_later_is_the_module_itself() -> None:
    program = """
from agentd import stand_ins
stand_ins.put(postgresql=False, http=False)
import dbos, mcp, structlog
assert issubclass(mcp.ServerSession, Exception)  # a stand-in
stand_ins.remove()
import click, dateutil.parser, httpx2, psycopg, rich, sqlalchemy.orm, sqlalchemy.ext.asyncio
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server
from mcp.server.mcpserver import MCPServer
for real in (click, dateutil.parser, httpx2, psycopg, rich, sqlalchemy.orm, sqlalchemy.ext.asyncio):
    assert real.__file__, real
assert psycopg.connect and callable(MCPServer("x").tool) and sqlalchemy.orm.Session().bind is None
assert not issubclass(Server, Exception)
assert not isinstance(streamable_http_client, type)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_daemon_with_a_shared_database_has_its_driver() -> None:
    program = """
from agentd import stand_ins
stand_ins.put(postgresql=True, http=True)
import dbos._utils
assert dbos._utils.psycopg.__file__
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_library_loses_its_docstrings_where_it_is_compiled_so_and_loads_as_ever_where_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("lean", "plain"):
        file = tmp_path / f"agentd_{name}.py"
        file.write_text('"""Words."""\ndef two():\n    """Of a function."""\n    return 2\n')
        py_compile.compile(str(file))
    py_compile.compile(str(tmp_path / "agentd_lean.py"), optimize=2)
    monkeypatch.setattr(stand_ins, "LEAN", ("agentd_lean", "agentd_plain"))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.syspath_prepend(tmp_path)
    stand_ins.without_docstrings()
    lean, plain = import_module("agentd_lean"), import_module("agentd_plain")
    assert (lean.two(), lean.__doc__, lean.two.__doc__) == (2, None, None)
    assert (plain.two(), plain.__doc__, plain.two.__doc__) == (2, "Words.", "Of a function.")


def test_a_context_made_at_the_start_reads_the_certificates_at_its_first_connection() -> None:
    usual = ssl.SSLContext.load_default_certs
    with stand_ins.late_certificates():
        late = ssl.create_default_context()
    assert ssl.SSLContext.load_default_certs is usual
    assert late.get_ca_certs() == [] and late.verify_mode is ssl.CERT_REQUIRED
    for _ in range(2):
        late.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="example.org")
    assert late.get_ca_certs() == ssl.create_default_context().get_ca_certs()
