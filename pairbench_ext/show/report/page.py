"""Write the report page: the text that a reader sees first, and all samples as data."""

import base64
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

import pairbench_ext
from pairbench_ext.core.files import appearing
from pairbench_ext.core.findings_html import STYLE, body
from pairbench_ext.core.media import fewer_images_kept
from pairbench_ext.core.texts import encodable
from pairbench_ext.runs.compare import compare_shared
from pairbench_ext.runs.order import best_first
from pairbench_ext.runs.paper_table import table_finding
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.trust import known_items
from pairbench_ext.show.paper_table import FORMS
from pairbench_ext.show.report.data import PictureStore, Size, block, packed
from pairbench_ext.show.report.findings import parts_of
from pairbench_ext.show.report.overview import benchmark_pages, numbers_finding
from pairbench_ext.show.report.samples import Counts, TaskSamples

# What the page says of its origin, within its first bytes.
_GENERATOR, _HEAD = "pairbench report", 32_768
# The colours of findings are those of the page.
_COLOURS = """
.pb{--pb-ink:var(--ink);--pb-dim:var(--soft);--pb-line:var(--line);--pb-accent:var(--accent);
--pb-bad:var(--bad);--pb-good:var(--good);max-width:none}
"""
# Bytes of decoded pixels: all questions about an item follow each other, so few images are enough.
_IMAGES = 32_000_000


class Written(NamedTuple):
    """The page that was written: its path and size, and how many items of each task it shows."""

    path: Path
    size: int
    tasks: Mapping[str, Counts]
    pictures: int


def judges_key(places: Iterable[Path]) -> str:
    """Return digests of the judges' paths, by which an earlier page on them is recognised."""
    real = (os.path.realpath(place).encode("utf-8", "surrogateescape") for place in places)
    return " ".join(sorted(hashlib.sha256(place).hexdigest()[:16] for place in real))


def is_report_of(path: Path, key: str) -> bool:
    """Return whether a file is a report of these judges, so that it may be replaced."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8", "replace")
    except OSError:
        return False
    found = re.search(f'<meta name="generator" content="{_GENERATOR}" data-judges="([^"]*)">', head)
    return found is not None and {*found[1].split()} <= {*key.split()}


def write_report(
    judges: Sequence[Judge],
    path: Path,
    *,
    images: Size = "thumb",
    most: int | None = None,
    title: str = "Judge card",
    key: str = "",
    people: PeopleLabels,
    agree: float = 0.8,
    progress: Callable[[str], None] = lambda _: None,
    check: Callable[[], None] = lambda: None,
) -> Written:
    """Write the report page of one or several judges.

    Args:
        judges: whose samples to show.
        path: the file; it appears when it is complete.
        images: "full" as they are, "thumb" small, "none" not at all.
        most: items of each task that the page has; None for all.
        title: of the page.
        key: of the judges, as `judges_key` returns it.
        people: labels, from files or of the data.
        agree: the share of labels that trusted verdicts must agree with.
        progress: is told what is done now.
        check: raises if the page may not be moved into place, since another one may be there now.

    Raises:
        RecordError: if no numbers follow from a run, or a file of labels cannot be used.
        WriteError: if the page cannot be written.
    """
    progress("numbers")
    judges = best_first(judges)
    compared = compare_shared(judges, headlines_alone=False)
    tasks = list(dict.fromkeys(task for judge in judges for task in judge.runs))
    by_task = {task: [judge.runs.get(task) for judge in judges] for task in tasks}
    scored = [run.scored() for runs in by_task.values() for run in runs if run is not None]
    tables = table_finding(judges, compared).tables
    progress("figures")
    findings, trusts = parts_of(compared, people, agree)
    head, foot = _rendered(
        title=title,
        key=key,
        numbers=Markup(body(numbers_finding(scored, compared))),  # noqa: S704  (escaped there)
        findings=findings,
        labelled=bool(trusts),
        tables={form: "\n\n".join(map(write, tables)) for form, write in FORMS.items()},
        pages=list(benchmark_pages(scored)),
    )
    counts: dict[str, Counts] = {}
    about: list[dict[str, Any]] = []
    with fewer_images_kept(_IMAGES), appearing(path, check) as fresh, fresh.open("wb") as file:
        file.write(head)
        store = PictureStore(images, file.write)
        for number, (task, runs) in enumerate(by_task.items()):
            progress(f"samples of {task}")
            of_task = known_items(trusts, next(run.task_name for run in runs if run is not None))
            told = [of_task.get(judge.name) for judge in judges]
            samples = TaskSamples(number, task, runs, store, most, told)
            file.writelines(samples.blocks())
            counts[task] = samples.counts
            items, shown, *_ = counts[task]
            about.append({"name": task, "items": items, "shown": shown})
        page = {"judges": [judge.name for judge in judges], "images": images, "tasks": about}
        file.write(block("page", packed(page)))
        file.write(foot)
        size = file.tell()
    return Written(path, size, counts, len(store))


def _rendered(**values: Any) -> tuple[bytes, bytes]:
    """Return the page before and after its data."""
    from jinja2 import Environment, FunctionLoader

    script, style = _asset("page.js"), _asset("page.css") + STYLE + _COLOURS
    environment = Environment(
        loader=FunctionLoader(_asset), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    rendered = environment.get_template("page.html").render(
        generator=_GENERATOR,
        version=pairbench_ext.__version__,
        style=Markup(style),  # noqa: S704  (ours)
        script=Markup(script),  # noqa: S704
        # This script and this style alone, and nothing is loaded.
        policy=f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        **values,
    )
    head, foot = encodable(rendered).split("<!-- data -->")
    return head.encode(), foot.encode()


def _asset(name: str) -> str:
    return (files("pairbench_ext.show.report") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
