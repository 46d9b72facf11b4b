"""Evaluations: measure agentd with a real model. Their tests are in tests/lab/eval."""
