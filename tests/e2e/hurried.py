"""`agentd`, whose `mcp --http` waits two seconds for a request's head instead of ten. Not a test."""

import sys

from agentd.cli import main
from servers.common import http_heads

http_heads.HEAD_S = 2.0
sys.exit(main())
