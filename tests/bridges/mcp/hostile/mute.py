"""Reads everything and never answers."""

import sys

sys.stderr.write("thinking about it\n")
sys.stderr.flush()
for _ in sys.stdin:
    pass
