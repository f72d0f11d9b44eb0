"""What is compared of what a request shows, taken from it when it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from pairbench_ext.contents import PictureDigest, UnkeyableError, content, image_digest
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


class Pictures:
    """Digests of pictures, for a while in which nobody changes those that documents hold.

    These are hashed once. Others are hashed each time that they are shown: a task may draw on one
    canvas for every document.
    """

    def __init__(self) -> None:
        """Nothing was looked at."""
        self._alive: WeakValueDictionary[int, Image] = WeakValueDictionary()
        self._digests: dict[int, bytes] = {}

    def of(self, doc: Any) -> PictureDigest:
        """The digests of what is shown of a document."""
        held = {id(value) for value in doc.values()} if isinstance(doc, Mapping) else set()
        shown: dict[int, bytes] = {}  # of this document, which holds them for now

        def digest(image: Image) -> bytes:
            number = id(image)
            if number not in shown:
                if number not in held:
                    shown[number] = image_digest(image)
                elif self._alive.get(number) is not image:
                    self._digests[number] = image_digest(image)
                    self._alive[number] = image
            return shown[number] if number in shown else self._digests[number]

        return digest


def look_at(shown: Any, digest: PictureDigest, *, is_simple: bool) -> Shown | UnkeyableError:
    """What is compared of a list of media, or of messages; the error if that cannot be.

    Args:
        shown: to a model.
        digest: of a picture.
        is_simple: whether the model takes media; another one takes messages, which have words.
    """
    try:
        compared = b"".join(content(shown, shown=True, picture=digest))
        if is_simple:
            return Shown(compared, b"", short([compared]))
        media = content(without_words(shown), shown=True, picture=digest)
        return Shown(compared, b"".join(content(words_of(shown))), short(media))
    except UnkeyableError as error:
        return error


def look(base: lmms, request: Instance, pictures: Pictures) -> Shown | UnkeyableError:
    """What is compared of a request's document, as it is shown now."""
    parts = parts_of(request, base.is_simple)
    doc = base.task_dict[parts.task][parts.split][parts.doc]
    return look_at(parts.show(doc), pictures.of(doc), is_simple=base.is_simple)
