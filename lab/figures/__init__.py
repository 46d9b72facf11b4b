"""The figures shown on pages: measured by name, stored in docs/figures.json, filled into marked places."""
