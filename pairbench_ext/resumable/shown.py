"""What is compared of what a request shows, taken from it when it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pairbench_ext.core.contents import PictureDigest, UnkeyableError, content, image_digest
from pairbench_ext.resumable.journal.facts import short, without_words, words_of
from pairbench_ext.resumable.requests import parts_of

if TYPE_CHECKING:
    from lmms_eval.api.instance import Instance
    from lmms_eval.api.model import lmms
    from PIL.Image import Image


class Shown(NamedTuple):
    """What is compared of what a request shows.

    Attributes:
        content: all of it, in the form of `contents.content`.
        words: the texts of messages, in that form.
        media: a short digest of the rest.
    """

    content: bytes
    words: bytes
    media: bytes


def _pictures() -> PictureDigest:
    """Digests of the pictures of one thing that is shown, each found once."""
    known: dict[int, tuple[Image, bytes]] = {}  # with the picture, so that its number stays its own

    def digest(image: Image) -> bytes:
        if id(image) not in known:
            known[id(image)] = image, image_digest(image)
        return known[id(image)][1]

    return digest


def look_at(shown: Any, *, is_simple: bool) -> Shown | UnkeyableError:
    """What is compared of a list of media, or of messages; the error if that cannot be.

    Args:
        shown: to a model.
        is_simple: whether the model takes media; another one takes messages, which have words.
    """
    digest = _pictures()
    try:
        compared = b"".join(content(shown, shown=True, picture=digest))
        if is_simple:
            return Shown(compared, b"", short([compared]))
        media = content(without_words(shown), shown=True, picture=digest)
        return Shown(compared, b"".join(content(words_of(shown))), short(media))
    except UnkeyableError as error:
        return error


def look(base: lmms, request: Instance) -> Shown | UnkeyableError:
    """What is compared of a request's document, as it is shown now."""
    parts = parts_of(request, base.is_simple)
    doc = base.task_dict[parts.task][parts.split][parts.doc]
    return look_at(parts.show(doc), is_simple=base.is_simple)
