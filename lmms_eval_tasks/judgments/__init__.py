"""Judgments recorded elsewhere, on any data, as `pairbench import judgments` logs them."""
