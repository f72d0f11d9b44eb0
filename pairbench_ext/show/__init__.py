"""The command line, the report and figures."""
