"""Tells a model in Indonesian what was wrong with its query and how to fix it. Asks no model."""

from servers.text2cypher.feedback.feedback_builder import FeedbackBuilder

__all__ = ["FeedbackBuilder"]
