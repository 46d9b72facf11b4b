"""Every figure that a page shows: measured by name, kept in docs/figures.json, filled into the pages' marked places."""
