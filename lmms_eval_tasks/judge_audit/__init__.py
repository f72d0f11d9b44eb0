"""Judge audit: small tasks, drawn anew by a seed, that test a judge."""
