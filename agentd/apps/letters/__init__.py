"""Letters: what may be put into one, what may be said of one, and the pages around them."""
