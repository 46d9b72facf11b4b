"""Runs the study: nine configurations over all questions, with checkpoints, scores and summaries."""

from servers.text2cypher.experiment.batch_processor import BatchProcessor, create_batch_processor
from servers.text2cypher.experiment.configurations import CONFIGURATIONS, config_name
from servers.text2cypher.experiment.experiment_runner import ExperimentRunner, run_experiment

__all__ = [
    "CONFIGURATIONS",
    "BatchProcessor",
    "ExperimentRunner",
    "config_name",
    "create_batch_processor",
    "run_experiment",
]
