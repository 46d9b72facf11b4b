"""Drills that anyone can run: they kill the daemon, inject faults or attack it, and count what was lost."""
