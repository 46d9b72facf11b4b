"""What each of our processes, the daemon and every server, does with itself at its start: it closes itself to others,
and logs nobody's data. It imports the standard library alone."""
