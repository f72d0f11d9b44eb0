"""Benchmarks as a maintainer of the harness would merge them: files that import none of this."""
