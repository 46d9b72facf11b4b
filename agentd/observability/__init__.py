"""What an operator sees of the daemon: log lines, metrics, traces."""
