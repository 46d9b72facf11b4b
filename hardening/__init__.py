"""What each of our processes, the daemon and every server, does with itself: it closes itself to others, logs
nobody's data, takes no pattern that a text could hold it with, writes its files whole, ends its own tasks, compares and
sends texts in one form. It imports the standard library and orjson alone; e5.py loads the bundled model of meanings
when asked."""
