"""The shipped curriculum, its questions and few-shot examples, and the loading of such files."""

from servers.text2cypher.data.ground_truth_loader import (
    Example,
    GroundTruthItem,
    QuestionFileError,
    load_examples,
    load_ground_truth,
)

__all__ = ["Example", "GroundTruthItem", "QuestionFileError", "load_examples", "load_ground_truth"]
