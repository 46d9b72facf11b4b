"""Backups of a state folder, taken while it is in use, and put back whole or not at all. It knows no letter itself."""
