"""The `pairbench` command."""
