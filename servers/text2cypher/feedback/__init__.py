"""Tells a model in Indonesian what was wrong with its query and what to do. Asks no model."""

from servers.text2cypher.feedback.feedback_builder import FeedbackBuilder

__all__ = ["FeedbackBuilder"]
