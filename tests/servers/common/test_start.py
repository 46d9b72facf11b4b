"""What a server doesn't import before its first call (issue 16): these took a third of a start."""

from __future__ import annotations

import subprocess
import sys

import pytest

LATE = {"certificate": ["pyhanko"], "mysql": ["sqlalchemy.orm"], "graphiti": ["sqlalchemy.orm", "graphiti_core"]}
WHOLE = """
import servers.common.async_engine as ours, sqlalchemy.ext.asyncio
from sqlalchemy.ext.asyncio import AsyncSession
assert AsyncSession.__init__ and sqlalchemy.ext.asyncio.AsyncEngine is ours.AsyncEngine
"""


@pytest.mark.parametrize("server", LATE)
def test_a_server_starts_without_what_it_uses_later(server: str) -> None:
    code = f"import sys, servers.{server}.server; print([name for name in {LATE[server]} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_other_code_gets_all_of_sqlalchemys_asynchronous_package() -> None:
    subprocess.run([sys.executable, "-c", WHOLE], check=True)
