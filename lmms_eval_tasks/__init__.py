"""Glue between the evaluation harness and the library: one folder per benchmark."""
