"""Builds PairBench's pairs from any images, from WhatsUp, or from rendered scenes."""
