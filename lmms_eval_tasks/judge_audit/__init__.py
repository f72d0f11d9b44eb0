"""Judge audit: small tasks that test a judge on images drawn from a random seed."""
