"""In-memory twins of the ports (`ports`), of runs and of sessions, for tests. Importing it loads only the first."""

from agentd.testing.ports import (
    FAULTS,
    ManualClock,
    MemoryJournal,
    MemoryServers,
    MemoryTools,
    ScriptedModel,
    WordsMeaning,
)
