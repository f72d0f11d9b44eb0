"""What a user sees: the command line, the report and figures."""
