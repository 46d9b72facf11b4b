"""Backups of a state folder, made while it is in use and restored whole or not at all."""
