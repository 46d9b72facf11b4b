"""Letters: what may be written in one, what an answer may say of one, and the pages around them."""
