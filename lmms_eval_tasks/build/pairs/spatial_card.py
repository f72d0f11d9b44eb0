"""The page of a data set of views of two objects."""

from __future__ import annotations

from collections.abc import Mapping

from lmms_eval_tasks.build.pairs.images import Settings
from lmms_eval_tasks.build.pairs.images_card import (
    licence_part,
    parameters_part,
    pictures_part,
    skipped_list,
)
from lmms_eval_tasks.build.pairs.spatial import Views, caption_rows, picture_rows
from lmms_eval_tasks.build.pairs.spatial_rows import CAPTIONS, PICTURES
from lmms_eval_tasks.build.pairs.usable import Selection
from pairbench_ext.show.figures.contact_sheet import sheet_file


def spatial_card(
    about: str,
    subsets: Mapping[str, Views],
    counts: Mapping[tuple[str, str], int],
    settings: Settings,
) -> str:
    """The Markdown text of the card.

    Args:
        about: a paragraph on where the views come from.
        subsets: the views by subset.
        counts: the number of rows by config and split.
        settings: what was made of the pictures.
    """
    parts = [about, _COLUMNS, _use(counts), _splits(counts), parameters_part(settings)]
    parts.append(pictures_part(_together(subsets), settings))
    parts += [part for views in subsets.values() for part in _without_row(views, settings.seed)]
    return "\n\n".join([*parts, licence_part(settings.licence)])


def _together(subsets: Mapping[str, Views]) -> Selection:
    selections = [views.selection for views in subsets.values()]
    return Selection(
        [one for selection in selections for one in selection.used],
        [one for selection in selections for one in selection.skipped],
        sum(selection.found for selection in selections),
    )


_COLUMNS = """\
Pairs of pictures (config `wu_img_img`) and of pictures and captions (`wu_img_text`) in the layout
of PairBench. A row has four pairs, as the paper's Table 9 counts; the two changes of position are
the opposite relation and one of the two other relations, drawn by seed:

| pair | picture | caption | kind |
| --- | --- | --- | --- |
| `img1`, `img2` | the picture, and a copy at 95% of its size | its caption | identical |
| `img1`, `img3` | the same objects in the opposite relation | the opposite relation | transformed |
| `img1`, `img5` | the same objects in another relation | another relation | transformed |
| `img1`, `img4` | other objects | other objects | irrelevant |

In the splits `*_sp` the position changes alone, and pictures are used as they are. In the others
`img3`, `img4` and `img5` are transformed, too: each picture once per split. `params` says what
every column shows. The logistics of the config `templates` list the pairs (`data-pairs`) and what
each is (`pair-kinds`)."""


def _use(counts: Mapping[tuple[str, str], int]) -> str:
    subset = next(split for _, split in counts)[0]
    return (
        "```console\n"
        "$ PAIRBENCH_DATA=/path/to/this/folder lmms-eval --model ... --tasks pairbench_custom\n"
        "```\n\n"
        f"or one split, such as `--tasks pairbench_wu_ii_{subset}_sp`. The paper's groups\n"
        "`pairbench_wu_ii` and `pairbench_wu_it` need both subsets and all transformations."
    )


def _splits(counts: Mapping[tuple[str, str], int]) -> str:
    lines = [
        "## Splits",
        "",
        "| config | split | rows | contact sheet |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {config} | {split} | {rows:,} | [a few rows]({sheet_file(config, split)}) |"
        for (config, split), rows in counts.items()
    ]
    return "\n".join(lines)


def _without_row(views: Views, seed: int) -> list[str]:
    """The pictures that have no row of their own, by config."""
    missing = {
        PICTURES: picture_rows(views.views, seed)[1],
        CAPTIONS: caption_rows(views.views, seed)[1],
    }
    return [
        skipped_list(f"Used, but without a row of their own in `{config}`", skipped)
        for config, skipped in missing.items()
        if skipped
    ]
