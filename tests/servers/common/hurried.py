"""The time server, which waits two seconds for a request's head instead of ten. Not a test."""

from servers.common import http_heads
from servers.time.__main__ import main

http_heads.HEAD_S = 2.0
main()
