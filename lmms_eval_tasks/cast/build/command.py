"""`pairbench build cast`: pairs of scenes from a DOCCI download, or from any images with text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lmms_eval_tasks.cast.build.authors import read_authors
from lmms_eval_tasks.cast.build.pairs import (
    MIN_DESCRIPTION,
    N_PAIRS,
    build_cast,
    build_pairs,
)
from lmms_eval_tasks.cast.build.scenes import DOCCI_TABLE, read_scenes
from lmms_eval_tasks.cast.build.similar import BINS, HIGH, LOW
from lmms_eval_tasks.cast.scene_trials import SOURCE
from pairbench_ext.core.outputs import check_folder
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.sources import SourceError
from pairbench_ext.judges.encoders.base import load_encoder
from pairbench_ext.show.cli.console import console, fail_on

CLIP = "openai/clip-vit-base-patch32"  # of the authors' code
AUTHORS_CARD = (
    "The pairs of CAST's authors, from https://github.com/gautierdag/cast. Images and descriptions "
    "are from DOCCI (Onoe et al., 2024), CC BY 4.0."
)


def build(
    out: Annotated[Path, typer.Option(help="The folder to make.")],
    authors: Annotated[
        Path | None,
        typer.Option(
            help="A copy of the authors' repository, gautierdag/cast: its 100 pairs, as they are. "
            "No option matters then but --out and --max-side."
        ),
    ] = None,
    docci: Annotated[
        Path | None,
        typer.Option(help=f"Or a DOCCI download: {DOCCI_TABLE} and the folder images."),
    ] = None,
    scenes: Annotated[
        Path | None,
        typer.Option(help="Or images with a table (.csv, .jsonl) of image and description."),
    ] = None,
    split: Annotated[str, typer.Option(help="Which split of DOCCI.")] = "train",
    n: Annotated[int, typer.Option(help="How many pairs.", min=1)] = N_PAIRS,
    encoder: Annotated[
        str,
        typer.Option(help="What measures similarity: a name on the hub, a folder, or classical."),
    ] = CLIP,
    low: Annotated[float, typer.Option(help="The least cosine similarity.", min=-1, max=1)] = LOW,
    high: Annotated[
        float,
        typer.Option(
            help="The cosine similarity that is too much; above 1 none is.", min=-1, max=2
        ),
    ] = HIGH,
    bins: Annotated[
        int,
        typer.Option(help="Equal parts of that range, with as many pairs from each.", min=1),
    ] = BINS,
    min_description: Annotated[
        int, typer.Option(help="Characters that a description must have.", min=1)
    ] = MIN_DESCRIPTION,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    max_side: Annotated[
        int | None,
        typer.Option(help="Reduce larger images to so many pixels; without it, keep them.", min=32),
    ] = None,
    device: Annotated[str | None, typer.Option(help="Torch device of the encoder.")] = None,
) -> None:
    """Copy CAST's own pairs of similar scenes, or draw others by seed as its authors did.

    pairbench build cast --authors cast --out pairs
    """
    if not low < high:
        raise typer.BadParameter(f"--low {low:g} must be less than --high {high:g}")
    with fail_on(ValueError, OSError):
        folder = _folder(authors, docci, scenes)
        check_folder(out, (folder,))
        if authors is not None:
            theirs = read_authors(folder)
            shown = [scene for pair in theirs for scene in (pair.first, pair.second)]
            path = build_pairs(out, lambda: theirs, shown, AUTHORS_CARD, max_side)
            _say(f"{counted(len(theirs), 'pair')} of the authors: {path}", out)
            return
        found = read_scenes(folder, split)
        path = build_cast(
            found,
            out,
            load_encoder(encoder, device),
            n_pairs=n,
            low=low,
            high=high,
            bins=bins,
            min_description=min_description,
            seed=seed,
            max_side=max_side,
            progress=True,
        )
    _say(f"{counted(n, 'pair')} of {counted(len(found), 'scene')}: {path}", out)


def _say(done: str, out: Path) -> None:
    console.print(done)
    console.print(f"Next: {SOURCE.variable}={out} lmms-eval --model ... --tasks cast")


def _folder(authors: Path | None, docci: Path | None, scenes: Path | None) -> Path:
    """The one folder that was named.

    Raises:
        SourceError: if none or several were, or the one for DOCCI is no download of it.
    """
    named = [folder for folder in (authors, docci, scenes) if folder is not None]
    if len(named) != 1:
        raise SourceError("name one of --authors DIR, --docci DIR and --scenes DIR")
    folder = named[0].expanduser()
    if docci is not None and not (folder / DOCCI_TABLE).is_file():
        raise SourceError(
            f"{folder} is no DOCCI download: no {DOCCI_TABLE} in it; for other images use --scenes"
        )
    return folder
