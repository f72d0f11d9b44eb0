"""Show findings as HTML in a notebook and in the report, without scripts."""

import re
from collections.abc import Iterator
from html import escape

from pairbench_ext.core.findings import Finding, FindingRow, FindingTable, Measure, Quantity
from pairbench_ext.core.findings_text import render as text_of

_WIDTH, _HEIGHT, _EDGE = 120, 16, 4  # of a bar; the room for a dot at each end
_FALLBACK_WIDTH = 100
_COMMAND = re.compile("`([^`]+)`")  # in a sentence: a command to type, or a name
_BEST = {
    "": "",
    "best": '<span class="pb-best">best</span>',
    "tied": '<span class="pb-best pb-tied">tied for best</span>',
}

STYLE = """
.pb{--pb-ink:var(--jp-content-font-color1,#1f2328);--pb-dim:var(--jp-content-font-color2,#57606a);
--pb-line:var(--jp-border-color2,#d0d7de);--pb-accent:#0b62d6;--pb-bad:#b42318;--pb-good:#116b3c;
font:14px/1.45 system-ui,sans-serif;color:var(--pb-ink);max-width:1040px;container-type:inline-size}
html[data-theme=dark] .pb,body.vscode-dark .pb,[data-jp-theme-light=false] .pb{--pb-ink:#e6e9ed;
--pb-dim:#a3adb8;--pb-line:#3a424c;--pb-accent:#6cb0ff;--pb-bad:#ff8a80;--pb-good:#6fd39b}
.pb .pb-plain{display:none}.pb .pb-wrap{display:block!important}
.pb p{margin:0 0 .4em;overflow-wrap:anywhere}
.pb .pb-lead{font-size:15px}.pb .pb-lead:first-child{font-weight:600}
.pb code{font:.92em ui-monospace,monospace;font-weight:400}
.pb section{margin:1.2em 0 0}.pb h4{margin:0 0 .2em;font-size:15px}
.pb small{color:var(--pb-dim);font-weight:400;font-size:12px}
.pb .pb-scroll{overflow-x:auto}
.pb table{border-collapse:collapse;margin:.4em 0 .3em;font-size:13.5px;background:none}
.pb th,.pb td{padding:.34em .7em;text-align:left;vertical-align:top;border:0;background:none}
.pb thead th{border-bottom:1px solid var(--pb-line);vertical-align:bottom;font-weight:600}
.pb thead small{display:block}
.pb tbody tr{border-top:1px solid var(--pb-line)}
.pb tbody tr:first-child,.pb tbody tr.pb-why{border-top:0}
.pb tbody th{font-weight:600;overflow-wrap:anywhere;min-width:9em}
.pb td.pb-num{font-variant-numeric:tabular-nums;white-space:nowrap}
.pb td.pb-num small{display:block}
.pb .pb-bar{width:120px;height:16px;display:block}
.pb .pb-axis{stroke:var(--pb-line)}.pb .pb-ref{stroke:var(--pb-dim);stroke-dasharray:2 2}
.pb .pb-ci{fill:var(--pb-accent);opacity:.35}.pb .pb-dot{stroke:var(--pb-accent);
stroke-width:8;stroke-linecap:round;vector-effect:non-scaling-stroke}
.pb .pb-bad span,.pb .pb-problem b{color:var(--pb-bad);font-weight:600}
.pb .pb-few{color:var(--pb-dim)}.pb .pb-first span{font-weight:700}
.pb .pb-why td{padding-top:0}.pb .pb-problem{font-size:13px;color:var(--pb-dim);margin:0 0 .25em}
.pb .pb-best{font-size:11px;color:var(--pb-good);border:1px solid;border-radius:9px;padding:0 .5em;
white-space:nowrap}.pb .pb-tied{color:var(--pb-dim)}
.pb .pb-note{font-size:12.5px;color:var(--pb-dim);margin:0 0 .2em}
.pb details{margin:.6em 0 0}.pb summary{cursor:pointer;color:var(--pb-accent)}
.pb dl{margin:.4em 0 0;font-size:13px}.pb dt{font-weight:600}.pb dd{margin:0 0 .4em}
@container (max-width:680px){
.pb table,.pb tbody{display:block;width:100%}.pb thead,.pb .pb-why td:first-child{display:none}
.pb tbody tr{display:flex;flex-wrap:wrap;gap:.1em 1em;padding:.4em 0;align-items:baseline}
.pb tbody tr.pb-why{padding-top:0}.pb td,.pb tbody th{padding:0}.pb tbody th{flex:1 1 8em}
.pb td.pb-barcell{flex:1 0 100%}.pb .pb-bar{width:100%;height:14px}
.pb td.pb-num small{display:inline}
.pb td[data-label]::before{content:attr(data-label) " ";color:var(--pb-dim)}}
@media print{.pb .pb-scroll{overflow:visible}.pb section{break-inside:avoid}}
"""


def render(finding: Finding) -> str:
    """Return a finding as HTML for a notebook that also reads as plain text without its styles."""
    plain = escape(text_of(finding, _FALLBACK_WIDTH, everything=True))
    return (
        f'<div class="pb"><style>{STYLE}</style><pre class="pb-plain">{plain}</pre>'
        f'<div class="pb-wrap" style="display:none">{body(finding)}</div></div>'
    )


def body(finding: Finding) -> str:
    """Return a finding as HTML without styles; the page must provide `STYLE` and the class "pb"."""
    return "".join(_body(finding))


def _body(finding: Finding) -> Iterator[str]:
    for text in finding.says:
        yield _paragraph("pb-lead", text)
    for table in (table for table in finding.tables if not table.empty):
        markup = "".join(_table(table.used()))
        if table.detail:
            markup = f"<details><summary>{escape(table.title)}</summary>{markup}</details>"
        else:
            asked = f" <small>{escape(table.asked)}</small>" if table.asked else ""
            markup = f"<h4>{escape(table.title)}{asked}</h4>{markup}" if table.title else markup
        yield f"<section>{markup}</section>"
    for note in finding.notes:
        yield _paragraph("pb-note", note)
    if finding.details:
        details = "".join(_paragraph("pb-note", note) for note in finding.details)
        yield f"<details><summary>How it was tested</summary>{details}</details>"
    yield from _explanations(finding)


def _paragraph(kind: str, text: str) -> str:
    markup = _COMMAND.sub(r"<code>\1</code>", escape(text))
    return f'<p class="{kind}">{markup}</p>'


def _explanations(finding: Finding) -> Iterator[str]:
    """Yield what each column means, once."""
    meant = {
        (column.title, column.explain)
        for table in finding.tables
        for column in table.columns
        if column.explain
    }
    if meant:
        items = (f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in sorted(meant))
        summary = "<summary>What each column means</summary>"
        yield f"<details>{summary}<dl>{''.join(items)}</dl></details>"


def _table(table: FindingTable) -> Iterator[str]:
    for text in table.says:
        yield _paragraph("pb-say", text)
    if table.rows:
        head = "".join(_head(table))
        rows = "".join(markup for row in table.rows for markup in _row(table, row))
        yield (
            f'<div class="pb-scroll"><table data-tasks="{escape(" ".join(table.tasks))}">'
            f"<thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div>"
        )
    for note in table.notes:
        yield _paragraph("pb-note", note)


def _head(table: FindingTable) -> Iterator[str]:
    if table.ranked:
        spread = "The best and the worst rank that the data allow"
        yield f'<th scope="col" title="{spread}">Rank</th>'
    for title in table.keys:
        yield f'<th scope="col">{escape(title)}</th>'
    for column in table.columns:
        below = []
        if column.reference is not None and column.reference_says:
            below.append(f"{column.reference_says}: {column.spell(column.reference)}")
        small = f"<small>{escape('; '.join(below))}</small>" if below else ""
        yield (
            f'<th scope="col" title="{escape(column.explain)}" data-column="{escape(column.name)}">'
            f"{escape(column.head)}{small}</th>"
        )
        if _has_bar(table, column):
            low, high = map(column.spell, column.scale or (0, 1))
            yield f"<th><small>{low} to {high}</small></th>"


def _has_bar(table: FindingTable, column: Measure) -> bool:
    return table.ranked and column.main and column.scale is not None


def _row(table: FindingTable, row: FindingRow) -> Iterator[str]:
    cells = [f'<td class="pb-rank">{row.spell_rank()}</td>'] if table.ranked else []
    first, *others = map(escape, row.keys)
    cells.append(f'<th scope="row">{first} {_BEST[row.best]}</th>')
    cells += [f"<td>{key}</td>" for key in others]
    for column in table.columns:
        cells += _cells(table, column, table.cell(row, column))
    yield f'<tr data-row="{escape(row.name)}">{"".join(cells)}</tr>'
    texts = [f"<b>{escape(p.title)}.</b> {escape(f'{p.evidence} {p.todo}')}" for p in row.problems]
    texts += [escape(row.note)] if row.note else []
    if texts:
        span = len(cells) - 1
        below = "".join(f'<p class="pb-problem">{text}</p>' for text in texts)
        yield f'<tr class="pb-why"><td></td><td colspan="{span}">{below}</td></tr>'


def _cells(table: FindingTable, column: Measure, cell: Quantity) -> Iterator[str]:
    mark = '<span aria-hidden="true">!</span>' if cell.problem else ""
    kinds = (("pb-bad", cell.problem), ("pb-few", cell.items_needed), ("pb-first", cell.best))
    kind = next((name for name, holds in kinds if holds), "")
    ends = f"<small>{column.spell_interval(cell.ci95)}</small>" if cell.ci95 else ""
    says = escape(column.sentence(cell))
    # A value that code can sort by; a text sorts as it is.
    value = "" if cell.value is None else escape(str(cell.value))
    yield (
        f'<td class="pb-num {kind}" data-label="{escape(column.title)}" data-value="{value}" '
        f'title="{says}">{mark}<span>{escape(column.spell(cell.value))}</span> {ends}</td>'
    )
    if _has_bar(table, column):
        yield f'<td class="pb-barcell">{_bar(column, cell, says)}</td>'


def _bar(column: Measure, cell: Quantity, says: str) -> str:
    low, high = column.scale or (0.0, 1.0)

    def place(value: float) -> float:
        return _EDGE + min(1.0, max(0.0, (value - low) / (high - low))) * (_WIDTH - 2 * _EDGE)

    middle = _HEIGHT / 2
    parts = [f'<line class="pb-axis" x1="{_EDGE}" x2="{_WIDTH - _EDGE}" y1="{middle}" '
             f'y2="{middle}"/>']  # fmt: skip
    if column.reference is not None:
        at = place(column.reference)
        parts.append(f'<line class="pb-ref" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{_HEIGHT}"/>')
    if cell.ci95:
        first, last = map(place, cell.ci95)
        parts.append(f'<rect class="pb-ci" x="{first:.1f}" y="{middle - 3}" height="6" rx="3" '
                     f'width="{max(1.0, last - first):.1f}"/>')  # fmt: skip
    if isinstance(cell.value, (int, float)):
        parts.append(f'<path class="pb-dot" d="M{place(cell.value):.1f} {middle}h0"/>')
    return (
        f'<svg class="pb-bar" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" '
        f'role="img" aria-label="{says}">{"".join(parts)}</svg>'
    )
