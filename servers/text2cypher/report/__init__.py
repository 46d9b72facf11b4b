"""The HTML report of an experiment, made from its results' files alone. Computes no metric of its own."""

from servers.text2cypher.report.html import write_report

__all__ = ["write_report"]
