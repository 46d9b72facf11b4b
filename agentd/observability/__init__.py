"""Observability for the operator: logs, metrics, traces."""
