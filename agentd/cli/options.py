"""The flags that every command about a daemon shares: which file, which state, which address."""

from __future__ import annotations

import argparse


def add(parser: argparse.ArgumentParser, *, listen: bool = False) -> None:
    """`--config`, `--state` and, where it serves or calls, `--listen`."""
    parser.add_argument("--config", metavar="FILE", help="client.toml (else AGENTD_CONFIG, else ./config/client.toml)")
    parser.add_argument(
        "--state", metavar="DIR", help="databases, letters, snapshots (else AGENTD_STATE, else ./state)"
    )
    if listen:
        parser.add_argument("--listen", metavar="HOST:PORT", help="where agentd is (else AGENTD_LISTEN, [rpc] listen)")
