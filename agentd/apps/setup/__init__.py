"""Commands that set up a machine and an office, before the daemon runs and beside it. No daemon loads them."""
