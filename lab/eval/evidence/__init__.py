"""Measures the evidence judge that the daemon calls, on honest and invented values. No model."""
