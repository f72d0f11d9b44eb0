"""Benchmark data from a user's own files."""
