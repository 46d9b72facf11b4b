"""Benchmarks: each compares figures of one run as ratios. No test asserts one."""
