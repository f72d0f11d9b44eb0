"""Recorded judgments of any data, as `pairbench import judgments` logs them."""
