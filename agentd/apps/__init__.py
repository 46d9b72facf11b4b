"""Applications beside the daemon: letters, analytics, graph. The daemon imports none of them."""
