"""`pairbench build cast`: choose pairs of similar scenes (Section 4.1, Appendix E).

The authors draw a scene and a bin at random until there are 1,000 pairs, and take 25 of each bin
(`generate_dataset.ipynb` of their repository). Here bins are filled one by one, that of the most
similar scenes first, as these are the rarest; in each a scene is drawn, then a partner in its bin.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lmms_eval_tasks.build.layout import Row, write_split
from lmms_eval_tasks.build.pictures import Source, load_picture, select, stored
from lmms_eval_tasks.build.repository import new_repository, split_file, write_card
from lmms_eval_tasks.cast.pairs import CONFIG, SPLIT
from pairbench_ext.core.foreign import UnreadableError
from pairbench_ext.core.foreign_tables import text_rows
from pairbench_ext.core.records import Record, RecordError, file_in, read_jsonl
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.texts import counted
from pairbench_ext.judges.encoders import load_encoder
from pairbench_ext.show.cli.console import console, fail_on
from pairbench_ext.show.cli.options import argument, option
from pairbench_ext.statistics import seeds

#: The places of two scenes, and their similarity.
Alike: TypeAlias = tuple[int, int, float]
BINS = "0.75,0.8,0.85,0.9,0.95"
CLIP = "openai/clip-vit-base-patch32"  # the authors'
DOCCI = "docci_descriptions.jsonlines"
_FILE = split_file(CONFIG, SPLIT)


def build(
    images: Annotated[
        Path, argument("Folder of pictures, or the folder with the download of DOCCI.")
    ],
    out: Annotated[Path, option("New folder for the data.")],
    captions: Annotated[
        Path | None, option("CSV file with columns image and caption. Default: DOCCI's captions.")
    ] = None,
    encoder: Annotated[
        str,
        option(
            "Vision checkpoint that measures how similar two pictures are, or `classical` "
            "for a measure without a model."
        ),
    ] = CLIP,
    bins: Annotated[
        str, option("Edges of the bins into which pairs are sorted by cosine similarity.")
    ] = BINS,
    per_bin: Annotated[int, option("Number of pairs per bin.", min=1)] = 25,
    characters: Annotated[
        int, option("Length of the shortest caption to use, in characters.", min=1)
    ] = 500,
    seed: Annotated[int, option("Random seed.")] = 0,
    licence: Annotated[str | None, option("Licence of your pictures and captions.")] = None,
) -> None:
    """Build CAST data, pairs of scenes with descriptions, from your own pictures and captions.

    No picture is in two pairs. Of DOCCI, only the train split is used, as the authors do.
    `cast_custom` shows both pictures side by side, each as 512 x 512 pixels.

    pairbench build cast docci --out pairs
    """
    with fail_on(ValueError), new_repository(out, [images]) as folder:
        described = read_captions(images, captions)
        long = {name: file for name, (file, text) in described.items() if len(text) >= characters}
        chosen = select([Source(*source) for source in long.items()], seed=seed)
        names = [usable.name for usable in chosen.used]
        embed, ends = load_encoder(encoder).embed, [float(end) for end in bins.split(",")]
        vectors = [embed([load_picture(usable.source).image])[0] for usable in chosen.used]
        alike = pairs_in_bins(np.stack(vectors), ends, per_bin, seed)
        rows: Iterator[Row] = (
            {
                "pair": f"{names[first]} + {names[second]}",
                "image_1": stored(long[names[first]]),
                "image_2": stored(long[names[second]]),
                "description_1": described[names[first]][1],
                "description_2": described[names[second]][1],
                "similarity": similarity,
            }
            for first, second, similarity in alike
        )
        write_split(folder / _FILE, rows)
        lines = [
            f"{counted(len(described), 'picture')} with captions; {len(long)} captions have "
            f"{characters} characters or more",
            *(f"left out: {name}, {why}" for name, why in chosen.skipped),
            f"{counted(len(alike), 'pair')}, {per_bin} for each bin of similarity ({bins}), "
            f"measured by {encoder}",
        ]
        text = "\n".join(f"- {line}" for line in lines)
        write_card(folder, "Pairs of scenes", text, {CONFIG: {SPLIT: _FILE}}, licence=licence)
    console.print(f"{text}\nNext: CAST_DATA={out} lmms-eval --model ... --tasks cast_custom")


def read_captions(images: Path, captions: Path | None) -> dict[str, tuple[Path, str]]:
    """Return the file and the caption of each picture, keyed by the picture's name.

    Args:
        images: folder of the pictures; of DOCCI's download, with its file of descriptions.
        captions: CSV with the columns `image`, a path from that folder, and `caption`.

    Raises:
        RecordError: naming the line of a picture that is not there, is there twice, or has no
            caption; or the file that cannot be read.
    """
    described: dict[str, tuple[Path, str]] = {}
    fields = ("image", "caption") if captions else ("image_file", "description")
    for record in _rows(captions) if captions else read_jsonl(images / DOCCI):
        name, text = (record.text(field) for field in fields)
        if name in described:
            raise RecordError(f"{record.where}: {name!r} is there twice")
        if captions or record.get("split") == "train":
            folder = images if captions else images / "images"
            described[name] = file_in(folder, name, fields[0], record.where), text.strip()
    return described


def _rows(file: Path) -> Iterator[Record]:
    try:
        for where, fields in text_rows(file):
            yield Record(where, fields)
    except UnreadableError as error:
        raise RecordError(str(error)) from error


def pairs_in_bins(
    vectors: NDArray[np.float32], ends: Sequence[float], per_bin: int, seed: int
) -> list[Alike]:
    """Return disjoint pairs of scenes, `per_bin` per similarity bin, the most similar bin first.

    Args:
        vectors: of the scenes, rows of unit norm.
        ends: of the bins, ascending; a bin has its lower end in it.
        per_bin: how many.
        seed: of the draw.

    Raises:
        SourceError: naming the bin that has too few.
    """
    generator = seeds.generator(seed, "cast", "pairs")
    free = np.ones(len(vectors), dtype=np.bool_)
    chosen: list[Alike] = []
    for place, (low, high) in enumerate(reversed(list(pairwise(ends))), start=1):
        for first in generator.permutation(len(vectors)):
            if not free[first] or len(chosen) == per_bin * place:
                continue
            likeness = vectors @ vectors[first]
            partners = np.flatnonzero(free & (likeness >= low) & (likeness < high))
            partners = partners[partners != first]
            if len(partners):
                second = generator.choice(partners)
                free[[first, second]] = False
                chosen.append((int(first), int(second), float(likeness[second])))
        if len(chosen) < per_bin * place:
            raise SourceError(
                f"similarity {low:g} to {high:g}: {per_bin * place - len(chosen)} of {per_bin} "
                "pairs are missing; give more pictures, other --bins, or a lower --per-bin"
            )
    return chosen
