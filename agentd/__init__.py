"""agentd: an agent daemon for public service counters."""
