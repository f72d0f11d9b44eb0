"""Stand-ins for requests and images that cannot be asked or shown, so that no hook raises.

An image that cannot be decoded is found when the model is asked about it, since images are decoded
one by one as they are shown. A blank image is shown in its place; the reply is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from PIL.Image import Image

from pairbench_ext.core.benchmark import Pictures, Request, Rounds
from pairbench_ext.core.requests import changed_rounds
from pairbench_ext.core.sources import why
from pairbench_ext.harness.probes import blank_image

Note = Callable[[str], Any]
NoteShown = Callable[[Sequence[Image]], Any]

#: Asked in place of what cannot be asked. It shows an image, which many backends need.
NOTHING_ASKED = Request((lambda: [blank_image()], "There is no question here. Reply with OK."))


def guarded(
    ask: Callable[[], Request | Rounds], note: Note, shown: NoteShown, *, at_once: bool
) -> Request | Rounds:
    """Return what is asked; an error on the way is noted, and something else stands in.

    Args:
        ask: gives a request, or a generator of them.
        note: takes the reason.
        shown: takes the images that were shown.
        at_once: look at the images now, not when they are shown.
    """

    def adapted(request: Request) -> Request:
        content = tuple(
            part if isinstance(part, str) else _or_blank(part, note, shown)
            for part in request.content
        )
        if at_once:
            for part in content:
                if not isinstance(part, str):
                    part()
        return replace(request, content=content)

    try:
        asked = ask()
        return adapted(asked) if isinstance(asked, Request) else _ending_early(asked, adapted, note)
    except Exception as error:  # noqa: BLE001  (the harness would lose every finished task)
        note(why(error))
        return NOTHING_ASKED


def _ending_early(rounds: Rounds, adapted: Callable[[Request], Request], note: Note) -> Rounds:
    """The adapted rounds; an error in them ends them, and is noted."""
    asked: list[Request] = []

    def noted(request: Request) -> Request:
        asked.append(request)
        return adapted(request)

    try:
        yield from changed_rounds(rounds, noted)
    except Exception as error:  # noqa: BLE001
        note(why(error))
    if not asked:
        note("a trial that asks nothing")
        yield NOTHING_ASKED


def _or_blank(part: Pictures, note: Note, shown: NoteShown) -> Pictures:
    def pictures() -> list[Image]:
        try:
            images = list(part())
        except Exception as error:  # noqa: BLE001  (a picture may be broken in any way)
            note(why(error))
            return [blank_image()]
        shown(images)
        return images

    return pictures
