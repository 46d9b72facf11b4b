"""Benchmarks. Each compares alternatives in one run and reports ratios; no test asserts a figure."""
