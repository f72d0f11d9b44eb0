"""`pairbench demo`: the first screen and the page, of simulated judgments that come with it."""

from pathlib import Path
from typing import Annotated

from pairbench_ext.core.files import check_file
from pairbench_ext.runs.card_finding import card_finding
from pairbench_ext.runs.order import best_first
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.runs.side_by_side import side_by_side
from pairbench_ext.show import demo as simulated
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import console, print_finding, working
from pairbench_ext.show.cli.foreign import imported, labels
from pairbench_ext.show.cli.options import option
from pairbench_ext.show.report.page import is_report_of, judges_key, write_report


def demo(
    out: Annotated[Path, option("Page to write.")] = Path("demo.html"),
    overwrite: options.Overwrite = False,
) -> None:
    """Rank three simulated judges, and write the page of them: ten seconds, no download.

    The judgments are simulated and come with the package
    (`pairbench_ext/show/demo/simulated_judgments.csv`). Every command takes such a file.
    """
    with working("reading"), imported([simulated.FILE]) as (places, records):
        key = judges_key(records)
        check_file(out, records, overwrite=overwrite or is_report_of(out, key))
        judges = best_first(read_judges(options.runs_of(places)))
        people = labels((), side_by_side(judges))
        found = card_finding(judges)
        write_report(judges, out, images="none", title="Simulated judges", key=key, people=people)
    console.print("Simulated judgments: nobody said any of them.")
    print_finding(found)
    console.print(f"\nThe page: {out}. The file: {simulated.FILE}", soft_wrap=True)
    console.print("Try: pairbench compare FILE, pairbench trust FILE, pairbench report YOUR_FILE")
