"""Freely licensed photographs that come with packages that we depend on.

scikit-image and scikit-learn ship a few files for their examples, so the demo needs no download.
Licences and authors are as stated in `skimage.data`'s docstrings and in scikit-learn's
`datasets/images/README.txt`. Left out: files without a stated licence (moon, page, motorcycle),
drawings, and two that make poor trials: a clock that is blurred already, and a retina detail of
102 x 102 pixels.
"""

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from pairbench_ext.core.extras import version_of
from pairbench_ext.core.foreign import decoded

CC0 = "CC0 1.0"
PUBLIC = "public domain"
UNRESTRICTED = "no known copyright restrictions"
CC_BY = "CC BY 2.0"


@dataclass(frozen=True)
class Source:
    """The origin of a photograph: its package, author and licence."""

    name: str
    distribution: str
    file: str
    title: str
    author: str
    licence: str


def _skimage(name: str, file: str, title: str, author: str, licence: str) -> Source:
    return Source(name, "scikit-image", f"data/{file}", title, author, licence)


def _sklearn(name: str, file: str, title: str, author: str, licence: str) -> Source:
    return Source(name, "scikit-learn", f"datasets/images/{file}", title, author, licence)


SOURCES: tuple[Source, ...] = (
    _skimage("astronaut", "astronaut.png", "Astronaut Eileen Collins", "NASA", PUBLIC),
    _skimage("brick", "brick.png", "Brick wall", "CC0Textures", CC0),
    _skimage("camera", "camera.png", "Man with a camera", "Lav Varshney", CC0),
    _skimage("cat", "chelsea.png", "Chelsea the cat", "Stefan van der Walt", CC0),
    _skimage("cell", "cell.png", "Cell floating in saline", "Paul Müller et al.", CC0),
    _skimage("coffee", "coffee.png", "Coffee cup", "Rachel Michetti", CC0),
    _skimage("coins", "coins.png", "Greek coins from Pompeii", "Brooklyn Museum", UNRESTRICTED),
    _skimage("galaxies", "hubble_deep_field.jpg", "Hubble eXtreme Deep Field", "NASA", PUBLIC),
    _skimage("grass", "grass.png", "Grass", "linolafett (DeviantArt)", CC0),
    _skimage("gravel", "gravel.png", "Gravel", "CC0Textures", CC0),
    _skimage("handwriting", "text.png", "Handwritten letters", "Wikipedia", PUBLIC),
    _skimage("retina", "retina.jpg", "Human retina", "Mikael Häggström", CC0),
    _skimage("rocket", "rocket.jpg", "Falcon 9 before the launch of DSCOVR", "SpaceX", PUBLIC),
    _skimage("tissue", "ihc.png", "Stained colonic glands", "CMMI", UNRESTRICTED),
    _sklearn("flower", "flower.jpg", "Dahlia", "vultilion (Flickr)", CC_BY),
    _sklearn("pagoda", "china.jpg", "Summer Palace in Beijing", "danielbuechele (Flickr)", CC_BY),
)

_PACKAGES = {"scikit-image": "skimage", "scikit-learn": "sklearn"}


@dataclass(frozen=True)
class Photo:
    """A photograph from an installed package, loaded as an image."""

    source: Source
    image: Image.Image

    @property
    def name(self) -> str:
        """Return the photograph's short name, unique among these photographs."""
        return self.source.name


def locate(source: Source) -> Path:
    """Return the installed file of a photograph, without importing its package.

    Raises:
        MissingPackageError: if the package is not installed.
    """
    version_of(source.distribution)
    spec = importlib.util.find_spec(_PACKAGES[source.distribution])
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / source.file


def load_photos(max_side: int = 320) -> list[Photo]:
    """Return the photographs as RGB images whose longer side has at most `max_side` pixels.

    320 pixels keep every scene recognisable and a vision-language model on a CPU fast.

    Raises:
        MissingPackageError: if a package is not installed.
    """
    return [Photo(source, _load(locate(source), max_side)) for source in SOURCES]


def credit_table(sources: Iterable[Source]) -> str:
    """Return a Markdown table of the photographs that a data set uses."""
    head = "| name | photograph | author | licence | file |\n| --- | --- | --- | --- | --- |\n"
    return head + "".join(_credit(source) for source in sources)


def _load(path: Path, max_side: int) -> Image.Image:
    image = decoded(path).convert("RGB")
    image.thumbnail((max_side, max_side), Image.Resampling.LANCZOS)
    return image


def _credit(source: Source) -> str:
    file = f"{source.distribution}: {source.file}"
    return f"| {source.name} | {source.title} | {source.author} | {source.licence} | {file} |\n"
