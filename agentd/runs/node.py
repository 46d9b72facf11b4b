"""What an engine is made with: its process among those that may share the runs, and its limits."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.engine import Engine as Database

from agentd.runs.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Node:
    """This process among those that may share the runs."""

    database: Database
    """DBOS's, for its own records."""
    name: str = "local"
    cluster: Cluster | None = None
    """Its part in several nodes' work; None: it is alone."""


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """How much work at once."""

    concurrency: int = 256
    queue_limit: int = 1000
    deadline_s: float = 300.0
    approval_ttl_s: float = 900.0
    max_recoveries: int = 2
    """A run begun again that often without a finished step is parked: it may be what ends the daemon."""


DEFAULT_LIMITS = EngineLimits()
