"""The HTML report of an experiment, made only from its result files. Computes no metric of its own."""

from servers.text2cypher.report.html import write_report

__all__ = ["write_report"]
