"""What each of our processes, the daemon and every server, does with itself: it closes itself to others, logs
nobody's data, takes no pattern that a text could hold it with, writes its files whole and ends its own tasks. It
imports the standard library alone."""
