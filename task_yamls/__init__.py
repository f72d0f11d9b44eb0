"""The task files that the evaluation harness reads: one folder per benchmark."""
