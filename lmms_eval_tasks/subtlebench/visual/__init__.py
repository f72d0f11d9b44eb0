"""Prompting strategies: what is done to the two images before a model sees them."""
