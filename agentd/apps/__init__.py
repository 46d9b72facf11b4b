"""Applications on top of the daemon, such as letters, analytics and graph. The daemon imports none of them."""
