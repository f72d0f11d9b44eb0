"""CAST's offline demo: pairs of the embedded photographs, with descriptions written for it.

Every photograph is in one pair. The descriptions say what the pictures show, in 500 characters or
more, as those of the paper's data set do; they name no person and nothing that cannot be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lmms_eval_tasks.build.common.photos import SOURCES, locate
from lmms_eval_tasks.cast.build.pairs import ScenePair, write_card, write_scene_pairs
from lmms_eval_tasks.cast.build.scenes import Scene
from pairbench_ext.core.user_cache import build_once, fingerprint

FORMAT = 1  # raise when the files would come out differently for a reason not in the fingerprint
MAX_SIDE = 320
_LIBRARIES = ("datasets", "pillow", "pyarrow", "scikit-image", "scikit-learn")

PAIRS: tuple[tuple[str, str], ...] = (
    ("astronaut", "camera"),  # people with their equipment
    ("rocket", "pagoda"),  # tall structures under the sky
    ("gravel", "grass"),  # ground from above
    ("brick", "handwriting"),  # lines on grey
    ("cat", "flower"),  # close-ups before a blurred background
    ("coffee", "retina"),  # red discs
    ("cell", "tissue"),  # microscopy
    ("coins", "galaxies"),  # many bright things on black
)

DESCRIPTIONS: Mapping[str, str] = {
    "astronaut": (
        "A studio portrait of a smiling woman with short, light brown hair, seen from the front "
        "down to her waist. She wears a bright orange space suit with an open, dark metal ring "
        "around the neck and a black shirt under it. A round blue and purple patch with a white "
        "space shuttle and a border of names is on the left of the picture, on her chest; a "
        "small dark name tag with wings is on the right, and a pale strap hangs down between "
        "them. In front of her is a white helmet, whose glossy black visor fills the bottom "
        "right corner and reflects a white light. On the left hangs a flag with white stars on "
        "blue and red and white stripes. On the right, in front of a mottled grey and beige "
        "backdrop, stands a model of a white space shuttle mounted on a brown tank between two "
        "white rockets."
    ),
    "camera": (
        "A black and white photograph of a man who bends forward to look into a small video "
        "camera on a tripod. He stands on the left and is seen from the side, facing right. He "
        "has short dark hair and wears a long dark coat with buttons on the sleeve, dark gloves "
        "and a white collar; his hands are at the camera and at the handle below it. The tripod "
        "has thin, shiny legs and stands in the middle of the picture, on a wide and empty lawn "
        "that fills the lower half. Beyond the lawn, far away, is a row of low buildings: a "
        "tall, pale tower with a white ball on its roof, a building with a wide dome to the left "
        "of it, bare trees, and a low curved roof at the right edge. The sky above is plain and "
        "light grey, without clouds."
    ),
    "rocket": (
        "A tall, slender white rocket stands upright in the centre of the picture, on a pale brown "
        "base, in the evening. The sky is deep blue, darker at the top, and a bank of dark clouds "
        "lies low along the horizon. The rounded tip of the rocket is a little wider than its body "
        "and carries a dark oval emblem; thin dark lines run along its sides, and a framework of "
        "beams stands at its foot. Two lattice towers, each with a pale mast on top, stand further "
        "back to the left and right of it. Two much larger lattice towers, cut off at the top, "
        "rise at the left and right edges of the picture. Along the bottom shine seven bright "
        "lamps, some orange and some white, whose light spreads into long, star-shaped rays."
    ),
    "pagoda": (
        "A many-sided Chinese tower rises on the left of the picture, photographed from high up "
        "and in daylight. It has four roofs, one above the other, of orange tiles with green "
        "edges and upturned corners, and a golden brown knob at the very top. Between the roofs "
        "are dark red walls, red columns, white lattice windows and balconies with railings. The "
        "tops of green trees hide the foot of the tower and fill the bottom of the picture; a "
        "taller, dark green tree stands at the right edge, and leaves reach in from the left. "
        "Behind the tower lies a wide, pale green lake with many tiny boats and a flat wooded "
        "island, which a bridge joins to the shore. The far bank and the buildings at the "
        "horizon fade into haze, under a pale blue sky with thin white clouds on the right."
    ),
    "gravel": (
        "A black and white photograph of gravel that fills the whole picture, taken straight from "
        "above. Hundreds of small, angular stones with sharp edges and flat sides lie close "
        "together, one over the other, so that no ground can be seen between them, only dark "
        "shadows. Most are medium grey; a few are much lighter, nearly white, in the upper left "
        "quarter and near the top in the middle, and some have pale scratches and veins. The "
        "stones differ in size, the largest about three times as long as the smallest, and point "
        "in all directions. A few thin, dry stalks lie among them, most in the upper half. The "
        "light is soft and even, and there is no horizon and no single object that stands out."
    ),
    "grass": (
        "A black and white photograph of a lawn that fills the whole picture, taken straight from "
        "above. Short blades of grass, some bright and some dark, lie across each other and point "
        "in all directions, as if the lawn had been mown and trodden on. Between them grow clover "
        "with three round leaflets, mostly on the left and at the top, and other small plants. "
        "Several larger, pale leaves lie on the grass or grow in it: one near the upper left "
        "corner, one near the upper right, a group just above the centre and another group a "
        "little below it. The light is soft and even, the shadows between the blades are dark, "
        "and there is no horizon, no path and no single object that stands out."
    ),
    "brick": (
        "A black and white photograph of a surface of dark grey bricks that fills the whole "
        "picture. The bricks are long and narrow and lie end to end in about fifteen rows, which "
        "run from the bottom to the top; the rows are wider at the bottom and lean outwards to "
        "both sides, because the surface is seen at an angle. Light grey joints of mortar separate "
        "the rows as long, nearly straight lines and the bricks of a row as short lines across. "
        "These short lines are at different heights in neighbouring rows, and some bricks are only "
        "half as long as the rest. The bricks are smooth, with a few pale spots and scratches. The "
        "light is even, without shadows, and nothing lies on the surface."
    ),
    "handwriting": (
        "A close, wide and low photograph in black and white of a piece of ruled grey paper with "
        "mathematical formulas written on it by hand. The paper is seen at an angle, so that its "
        "thin, dark, parallel lines run from the upper left to the lower right and the writing "
        "is slanted, too. The ink is black. On the left are an s in brackets and an equals sign, "
        "followed by a long integral sign that crosses a ruled line; in the middle is a bracket "
        "with a minus sign between two letters; at the top is another s in brackets; and on the "
        "right is a second long integral sign followed by a letter like a t. One thick stroke "
        "lies along a ruled line near the top, like that of a fraction. Pale grey smudges shine "
        "through the paper here and there, and everything is a little soft and grainy."
    ),
    "cat": (
        "A close-up of the head of a tabby cat, which fills most of the picture. The cat is turned "
        "a little to the right and looks past the camera with calm, wide open eyes. They are "
        "yellow-green with dark, upright, oval pupils. The fur is light brown and orange with dark "
        "brown spots and stripes on the forehead, a dark line from the corner of the eye across "
        "the cheek, and cream around the mouth and on the chest. The nose is reddish, and long "
        "white whiskers spread to both sides, most of them to the left. The ears are cut off by "
        "the upper edge of the picture; the inside of the one on the right is pink. The eyes and "
        "the nose are sharp, while the white, grey and beige background is entirely blurred."
    ),
    "flower": (
        "A close-up of a single round flower in the middle of the picture, a dahlia seen from the "
        "front. Its many petals are small, rounded and cupped, and lie in regular rings around the "
        "centre. The outer petals are pale orange, nearly cream; towards the middle they become "
        "smaller, more tightly rolled and of a deeper, reddish orange. Below it the upper part of "
        "a second flower of the same kind and colour is cut off by the lower edge, and a small "
        "yellow and green bud is in the lower right corner. The flower is sharp, while the "
        "background of dark green and blue-green leaves, one of them large on the left, is "
        "entirely blurred. The light is soft, without hard shadows."
    ),
    "coffee": (
        "A small cup of espresso stands on a saucer on a wooden table, seen from above at an "
        "angle. The cup is glossy and reddish brown outside and white inside, with a thick white "
        "rim and a small handle that points to the lower left. It is about half full of light "
        "brown coffee with a smooth, creamy surface. The round saucer has the same reddish brown "
        "colour and fills more than half of the width of the picture. A metal teaspoon lies on the "
        "saucer to the right of the cup; its shiny bowl points down, towards the viewer, and its "
        "handle reaches up behind the cup. The table is of worn, reddish brown boards with a clear "
        "grain. The light is warm and makes bright spots on the cup, the saucer and the spoon; the "
        "upper left corner, beyond the edge of the table, is nearly black."
    ),
    "retina": (
        "A medical photograph of the back of an eye: a large orange-red disc that nearly fills "
        "the square picture, on a plain black background. A small square notch sticks out of the "
        "edge of the disc at the upper right. On the left is a bright, pale yellow oval with a "
        "small dark brown border on its right side. From it dark red blood vessels spread out to "
        "all sides; the thickest bend in two wide arcs, one above and one below the middle of "
        "the disc, and branch into ever thinner lines towards the right. Between the arcs, at "
        "the centre of the picture, is a soft, dark red spot with hardly any vessels in it. The "
        "colour is fairly even, a little lighter on the left and near the lower edge."
    ),
    "cell": (
        "A grey microscope picture, taller than it is wide, of a single round cell. The cell is to "
        "the right of the centre and a little below it; it is a nearly perfect disc, light grey to "
        "white, with a slightly mottled surface and a few even brighter specks in its lower half. "
        "A dark, blurred ring surrounds it and fades into the background. The background is an "
        "empty, dark grey field with faint ripples, most visible above and to the left of the "
        "cell. A tiny black speck lies in the lower half, left of the centre. At the upper edge, "
        "right of the centre, a second blurred dark shadow with a light middle is cut off by the "
        "border of the picture. There is no colour, no text and no scale in it."
    ),
    "tissue": (
        "A colour microscope picture of a thin slice of stained tissue. Four glands are stained "
        "brown: two large ones fill the top of the picture, one runs down the left edge next to "
        "an empty white area, and a small oval one lies below the centre, a little to the right. "
        "They consist of many long, narrow cells side by side, each with an oval, blue-grey "
        "nucleus and a dark brown outline, so that they look like a net. In the small gland the "
        "cells point to the middle from all sides. A narrow white gap runs down through the gland "
        "at the upper right. Between the glands and along the right edge lies a pale, loose tissue "
        "with fine fibres and many small blue nuclei, most of them long and thin. The background "
        "is nearly white."
    ),
    "coins": (
        "A black and white photograph of twenty-four old coins on a dark background, laid out in "
        "four rows of six. The coins are round but irregular, with worn and uneven edges, and "
        "differ in size; the two largest are at the right ends of the first and the third row. "
        "They are light to medium grey. Most show the raised head of a person from the side, "
        "several of them with curls or a helmet; one in the third row shows a face from the front. "
        "Two in the first row show a figure on a seat, and the last coin of that row a standing "
        "figure with spread arms. Some are so worn that nothing can be recognised. The background "
        "is dark grey, a little lighter at the top, and its right corners are rounded and black."
    ),
    "galaxies": (
        "A photograph of deep space: a black background covered all over with hundreds and "
        "hundreds of galaxies, most of them tiny points and short strokes of light. The larger "
        "ones are round or oval discs of different colours: white, pale blue, yellow, orange and "
        "red. Three bright orange ones with a soft glow lie on the right, one of them at the "
        "edge of the picture and the brightest near the middle of the right half. A pale spiral "
        "lies near the left edge, a bluish and a pinkish one near the top, and a strikingly red "
        "spot at the upper left. Several narrow ones are seen from the side, like small "
        "spindles. In the lower right part a white point has thin rays in the shape of a cross. "
        "They are scattered without any order, and large gaps between them stay black."
    ),
}


def demo_pairs() -> list[ScenePair]:
    """The pairs, with the installed photographs.

    Raises:
        FileNotFoundError: if a photograph is not installed.
    """
    files = {source.name: locate(source) for source in SOURCES}
    scenes = {name: Scene(name, files[name], text) for name, text in DESCRIPTIONS.items()}
    return [ScenePair(scenes[first], scenes[second]) for first, second in PAIRS]


def demo_data() -> Path:
    """Folder with the demo's pairs, in the layout of `builders.cast`; built on first use and kept.

    Raises:
        OSError: if the cache cannot be written; the message names it and `PAIRBENCH_CACHE`.
        FileNotFoundError: if a photograph is not installed.
    """
    return build_once("cast_demo", _fingerprint(), _build)


def _build(folder: Path) -> None:
    write_scene_pairs(demo_pairs(), folder, max_side=MAX_SIDE)
    text = (
        "Pairs of photographs that scikit-image and scikit-learn install, resized to at most "
        f"{MAX_SIDE} pixels, with descriptions written for this project (MIT)."
    )
    write_card(folder, "CAST demo", text, SOURCES)


def _fingerprint() -> str:
    """Digest of what determines the bytes of the demo."""
    parts = (FORMAT, MAX_SIDE, SOURCES, PAIRS, sorted(DESCRIPTIONS.items()))
    return fingerprint(*parts, libraries=_LIBRARIES)
