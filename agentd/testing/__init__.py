"""In-memory twins of the ports (`ports`) and of runs (`runs`), shipped for tests. Importing it loads only the first."""

from agentd.testing.ports import (
    FAULTS,
    ManualClock,
    MemoryJournal,
    MemoryTools,
    ScriptedModel,
)

__all__ = [
    "FAULTS",
    "ManualClock",
    "MemoryJournal",
    "MemoryTools",
    "ScriptedModel",
]
