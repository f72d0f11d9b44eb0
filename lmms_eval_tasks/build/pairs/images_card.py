"""The page of a data set that was built from pictures: what was made, of what, and what was not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lmms_eval_tasks.build.pairs.ranges import ranges
from lmms_eval_tasks.build.pairs.self_check import LEAST_SHARE, SelfCheck
from lmms_eval_tasks.build.pairs.usable import Selection, Skipped, count_kinds
from pairbench_ext.core.characters import printable
from pairbench_ext.show.figures.contact_sheet import sheet_file

if TYPE_CHECKING:
    from lmms_eval_tasks.build.pairs.images import Settings


def images_card(selection: Selection, settings: Settings, checks: Mapping[str, SelfCheck]) -> str:
    """The Markdown text of the card.

    Args:
        selection: the pictures, used and left out.
        settings: what was made of them.
        checks: the self-check of each split.
    """
    parts = (
        _what(selection, settings),
        _use(settings),
        _splits(settings, checks),
        parameters_part(settings),
        _check(checks),
        pictures_part(selection, settings),
        licence_part(settings.licence),
    )
    return "\n\n".join(parts)


def _what(selection: Selection, settings: Settings) -> str:
    pairs = 3 * len(selection.used) * len(settings.transforms)
    return (
        f"Pairs of pictures in the layout of PairBench: {len(selection.used):,} pictures, "
        f"{len(settings.transforms)} transformations, {pairs:,} pairs. Each row has the original "
        "(`img1`), an identical copy at 95% of its size (`img2`), the picture under the split's "
        "transformation (`img3`), and another picture under the same transformation (`img4`); "
        "`params` has the parameters of `img3` and `img4` and the name of what `img4` shows."
    )


def _use(settings: Settings) -> str:
    return (
        "```console\n"
        f"$ PAIRBENCH_DATA=/path/to/this/folder lmms-eval --model ... --tasks pairbench_custom\n"
        "```\n\n"
        f"or `--tasks pairbench_{settings.name}`, which is the same here, or one split: "
        f"`--tasks pairbench_{settings.name}_{next(iter(settings.transforms))}`. "
        f'`datasets.load_dataset("/path/to/this/folder", "{settings.name}")` reads it.'
    )


def _splits(settings: Settings, checks: Mapping[str, SelfCheck]) -> str:
    lines = [
        "## Splits",
        "",
        "| split | rows | in order | contact sheet |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {split} | {found.rows:,} | {found.share:.1%} | "
        f"[a few rows]({sheet_file(settings.name, split)}) |"
        for split, found in checks.items()
    ]
    return "\n".join(lines)


def parameters_part(settings: Settings) -> str:
    """The section on the ranges of the parameters."""
    lines = [
        "## Parameters",
        "",
        f"Drawn for each picture, with seed {settings.seed}, uniformly from the ranges; "
        "`pairbench_ext.synthetic.transforms` says what they mean. The paper prints none: these "
        'are meant to be seen as "clearly changed, still the same picture".',
        "",
        "| transformation | parameter | range |",
        "| --- | --- | --- |",
    ]
    for split, transform in settings.transforms.items():
        lines += [f"| {split} | {name} | {value} |" for name, value in ranges(transform).items()]
    return "\n".join(lines)


def _check(checks: Mapping[str, SelfCheck]) -> str:
    lines = [
        "## Self-check",
        "",
        "A row is in order if the identical copy is nearer to the original than the transformed "
        "picture, and that nearer than the irrelevant one, by the cosine of the classical "
        f"encoder's embeddings. It should hold for {LEAST_SHARE:.0%} of the rows or more.",
    ]
    for split, found in checks.items():
        verdict = "passed" if found.passed else "**not passed**"
        lines += ["", f"{split}: {found.share:.1%} of {found.rows:,} rows, {verdict}."]
        if found.wrong:
            lines[-1] += " Not in order (identical, transformed, irrelevant):"
            lines += [
                "",
                *(f"- {_code(n)} ({', '.join(f'{d:.4f}' for d in ds)})" for n, ds in found.wrong),
            ]
        if found.alike:
            lines += [
                "",
                f"{split}: the irrelevant picture may show the same scene (row, picture, distance "
                "of the originals):",
                "",
                *(f"- {_code(n)}, {_code(other)}, {far:.4f}" for n, other, far in found.alike),
            ]
    return "\n".join(lines)


def pictures_part(selection: Selection, settings: Settings) -> str:
    """The section on what was used, converted and left out."""
    converted = sum(one.converted for one in selection.used)
    kept = len(selection.used) - converted
    size = f", at most {settings.size} pixels on the longer side" if settings.size else ""
    copies = (
        "without loss" if settings.lossless else "as JPEG if the original is one, else without loss"
    )
    lines = [
        "## Pictures",
        "",
        f"{selection.found:,} images were found, {len(selection.used):,} are used{size}: {kept:,} "
        f"originals are stored byte for byte, {converted:,} were converted to upright 8-bit RGB "
        f"or reduced. Changed versions are stored {copies}.",
    ]
    if selection.skipped:
        lines += ["", skipped_list("Looked at and left out", selection.skipped)]
    return "\n".join(lines)


def skipped_list(what: str, skipped: Sequence[Skipped]) -> str:
    """How many of which kind, and all of them by name."""
    named = [f"- {_code(name)}: {_because(*why)}" for name, *why in skipped]
    return "\n".join([f"{what}: {count_kinds(skipped)}.", "", *named])


def _because(kind: str, detail: str) -> str:
    return f"{kind} ({_plain(detail)})" if detail else kind


def licence_part(licence: str | None) -> str:
    """The section on the licence of the pictures."""
    named = (
        f"Licence of the pictures, as stated by who built this: {licence}."
        if licence
        else "The pictures keep the licence of their source; whoever built this did not state it."
    )
    return (
        f"## Licence\n\n{named} Changed versions are derived from them. Make sure that you may "
        "share them before you share this folder."
    )


def _code(name: str) -> str:
    """A file's name in Markdown, whatever characters it has."""
    fence = "``" if "`" in name else "`"
    pad = " " if "`" in name else ""
    return f"{fence}{pad}{_plain(name)}{pad}{fence}"


def _plain(text: str) -> str:
    return printable(" ".join(text.split()))
