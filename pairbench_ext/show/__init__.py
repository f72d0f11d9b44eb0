"""Show results: on the command line, in the HTML report, and in figures.

Benchmarks use, for commands and figures of their own:

    cli.app, cli.console, cli.options    commands, printing, options that are spelled alike
    cli.import_judgments    a repository's records by a file of columns
    report.page    the page, for `pairbench_ext.api`
    figures.style, figures.charts    one look for every figure
"""
