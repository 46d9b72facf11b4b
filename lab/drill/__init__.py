"""Drills that anyone can run: the daemon is killed again and again, and what was lost is counted."""
