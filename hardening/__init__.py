"""What each of our processes, the daemon and every server, does with itself: it closes itself to others, logs
nobody's data, and takes no pattern that a text could hold it with. It imports the standard library alone."""
