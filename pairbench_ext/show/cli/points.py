"""`pairbench papers points`: correlate two scores of the same models, and draw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pairbench_ext.core.findings import Finding, Measure, Quantity, plain_table
from pairbench_ext.core.foreign import UnreadableError, json_in
from pairbench_ext.core.foreign_tables import text_rows
from pairbench_ext.core.records import RecordError, reason_of
from pairbench_ext.runs.correlations import Correlation, correlations, published_scores
from pairbench_ext.show.cli.console import fail_on, print_finding
from pairbench_ext.show.cli.options import (
    AsJson,
    Overwrite,
    PlotFile,
    argument,
    check_plot,
    draw,
    option,
)

_COLUMNS = (
    Measure("value", "Value", scale=(-1, 1), digits=3),
    Measure("p", "p (Holm)", "p-value of the correlation, adjusted over all pairs of scores.", "p"),
    Measure(
        "models", "Models", "Number of models that have both scores named in the row.", "count"
    ),
)


def points(
    files: Annotated[
        list[Path] | None,
        argument(
            "CSV with a column of models' names, then columns of scores; or a folder of JSON files."
        ),
    ] = None,
    published: Annotated[
        list[str] | None,
        option('Add the scores in this table of a paper, such as "pairbench: Table 1".'),
    ] = None,
    of: Annotated[
        list[str] | None,
        option("Correlate only this score with the others. Default: every pair of scores."),
    ] = None,
    as_json: AsJson = False,
    plot: PlotFile = None,
    overwrite: Overwrite = False,
) -> None:
    """Correlate scores of the same models: your scores, and scores that papers print.

    pairbench papers points mine.csv --published "pairbench: Table 1" --of mmscore --plot fig6.png
    """
    with fail_on(RecordError):
        scores = _scores(files or (), published or ())
        pairs = correlations(scores, of or ())
        if not pairs:
            raise RecordError(
                f"no two scores have four models in common; the scores are {', '.join(scores)}"
            )
        check_plot(plot, files or (), overwrite=overwrite)
    print_finding(_finding(pairs, scores), json_only=as_json)
    if plot is not None:
        from pairbench_ext.show.figures.panels import draw_points

        named = {(p.x, p.y): p for p in reversed(pairs)}  # the first statistic, Pearson's
        draw(plot, draw_points, scores, list(named.values())[::-1])


def _finding(pairs: Sequence[Correlation], scores: Mapping[str, Mapping[str, float]]) -> Finding:
    """Return the correlations as a finding; its fields have the scores of each pair's models."""
    rows, shown = [], []
    for p in pairs:
        relation = p.relation
        value = Quantity(relation.value, relation.ci95, len(p.models), "model")
        rows.append((p.x, p.y, relation.name, value, p.p_holm, len(p.models)))
        at = {m: (scores[p.x][m], scores[p.y][m]) for m in p.models}
        shown.append({"x": p.x, "y": p.y, "points": at, **relation._asdict(), "p_holm": p.p_holm})
    keys = ("x", "y", "Statistic")
    table = plain_table("correlations", "Correlations of scores", keys, _COLUMNS, rows)
    return Finding("points", tables=(table,), fields={"pairs": shown})


def _scores(files: Sequence[Path], published: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the scores of printed tables and of files: by number, by model."""
    scores: dict[str, dict[str, float]] = {}
    for name in published:
        benchmark, _, printed = name.partition(":")
        try:
            scores |= published_scores(benchmark.strip(), printed.strip())
        except KeyError as error:
            raise RecordError(f"--published {name!r}: {error.args[0]}") from None
    for file in files:
        for row, column, value in _read(file):
            scores.setdefault(column, {})[row] = value
    return scores


def _read(file: Path) -> Iterator[tuple[str, str, float]]:
    """Yield the name, score and value of every number of a CSV file, or of a folder of JSON files.

    Raises:
        RecordError: if a file cannot be read, or a cell of a CSV file is no number.
    """
    try:
        if file.is_dir():  # such as the pairs in CAST's repository; whole numbers there are names
            for path in sorted(file.glob("*.json")):
                row = json_in(path)
                yield from ((path.stem, key, v) for key, v in row.items() if isinstance(v, float))
            return
        rows = [*text_rows(file)]
    except UnreadableError as error:
        raise RecordError(str(error)) from error
    except (ValueError, AttributeError) as error:
        raise RecordError(f"{file}: cannot be read ({reason_of(error)})") from error
    for where, row in rows:
        (_, name), *cells = row.items()
        for title, text in cells:
            if text:
                try:
                    yield name, title, float(text)
                except ValueError:
                    raise RecordError(
                        f"{where}: {title!r} must be a number, not {text!r}"
                    ) from None
