"""Planned queries as syntax trees. Nothing here runs one."""
