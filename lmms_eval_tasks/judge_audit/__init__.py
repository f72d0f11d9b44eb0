"""Judge audit: small tasks on images drawn from a seed, which test a judge."""
