"""In-memory implementations of the ports (`ports`), runs and sessions, for tests. Importing it loads only `ports`."""

from agentd.testing.ports import (
    FAULTS,
    ManualClock,
    MemoryJournal,
    MemoryServers,
    MemoryTools,
    ScriptedModel,
    WordsMeaning,
)
