"""What sets a machine and an office up, before the daemon runs and beside it. No daemon loads it."""
