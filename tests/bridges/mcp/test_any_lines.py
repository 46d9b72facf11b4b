"""Bytes from a server, cut anywhere and holding anything, are lines, noise or too long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCNotification

from bridges.mcp.lines import LineCutter, Noise, Oversize, parse

pytestmark = pytest.mark.slow
PING = b'{"jsonrpc":"2.0","method":"ping"}'


@given(st.lists(st.sampled_from([PING, b"chatter", b"", b"x" * 300]), max_size=8), st.integers(1, 50))
def test_lines_come_out_the_same_however_the_bytes_came_in(lines: list[bytes], size: int) -> None:
    data = b"".join(line + b"\n" for line in lines)
    cutter = LineCutter(limit=200)
    found = [line for at in range(0, len(data), size) for line in cutter.feed(data[at : at + size])]
    kinds = {PING: JSONRPCNotification, b"chatter": Noise, b"x" * 300: Oversize}
    assert [type(line) for line in found] == [kinds[line] for line in lines if line]
    assert cutter.open_bytes == 0


@given(st.binary(max_size=200))
def test_no_line_whatever_it_holds_is_more_than_noise(raw: bytes) -> None:
    parse(raw)
