"""What the messages say about the fields of a call: which value, of which field, of whom."""
