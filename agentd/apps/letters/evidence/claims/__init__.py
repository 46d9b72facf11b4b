"""What each statement claims about one field: one file for the fields that are read alike. Nothing here decides."""
