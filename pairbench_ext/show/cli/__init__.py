"""The `pairbench` command and its subcommands."""
