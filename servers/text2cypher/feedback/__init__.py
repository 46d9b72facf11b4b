"""Tells a model in Indonesian what was wrong with its query and what to do (seed 004 §3.3). Asks no model."""

from servers.text2cypher.feedback.feedback_builder import FeedbackBuilder

__all__ = ["FeedbackBuilder"]
