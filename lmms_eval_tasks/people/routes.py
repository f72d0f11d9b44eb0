"""What the page asks for, and what it gets: files, where a rater stands, images, scores to record.

GET  /                        the page; /page.css, /core.js, /page.js, /icon.svg
GET  /api/raters              who rates, and how far each one is
GET  /api/raters/0            the pairs of a rater's present round, with the scores given
PUT  /api/raters/0/scores     {"question": id, "score": 7, "was": null}: recorded once answered
POST /api/raters/0/undo       {"question": id, "score": 7}: take back the last score of a pair
POST /api/raters/0/restart    {"round": 1}: go on to that round, the next one
GET  /images/ID/0             the first (0) or second (1) image of a pair, as PNG

`was` is the score that the page knows the pair to have: a stale page does not overwrite another's.
Rounds and raters are counted from 0; what is refused is answered with {"error": why}.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from http import HTTPStatus
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple, Protocol

from lmms_eval_tasks.people.session import ChangedMeanwhileError, Session, UnknownQuestionError
from pairbench_ext.core.sources import SourceError

JSON = "application/json"
_SHARED = "lmms_eval_tasks.people"
#: By address: the package of the file, None for the study's own; its name and type.
_FILES = {
    "/page.css": (_SHARED, "page.css", "text/css; charset=utf-8"),
    "/core.js": (_SHARED, "core.js", "text/javascript; charset=utf-8"),
    "/page.js": (None, "page.js", "text/javascript; charset=utf-8"),
    "/icon.svg": (_SHARED, "icon.svg", "image/svg+xml"),
}


class Reply(NamedTuple):
    """What a request is answered with."""

    body: bytes
    type: str = JSON
    status: HTTPStatus = HTTPStatus.OK
    cache: str = "no-store"


class RefusedError(Exception):
    """A request that is not answered: with which status, and why in one sentence."""

    def __init__(self, status: HTTPStatus, message: str, allow: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.allow = allow


class Request(Protocol):
    """A request as its transport hands it over."""

    method: str
    path: str

    def fields(self, *names: str) -> dict[str, Any]:
        """The body: a JSON object with exactly these fields.

        Raises:
            RefusedError: if it is none.
        """


class Routes:
    """Answers the requests of the page.

    Args:
        sessions: one per rater, of one study; the page calls them by their place.
    """

    def __init__(self, sessions: Sequence[Session[Any]]) -> None:
        self.sessions = sessions

    def answer(self, request: Request) -> Reply:
        """Do what is asked.

        Raises:
            RefusedError: if it cannot be done.
        """
        fitting = {
            method: (answer, match.groups())
            for method, pattern, answer in _TABLE
            if (match := re.fullmatch(pattern, request.path))
        }
        if not fitting:
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is nothing of this name")
        if request.method not in fitting:
            allow = ", ".join(fitting)
            raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, f"only {allow} is possible", allow)
        answer, groups = fitting[request.method]
        try:
            return answer(self, request, *groups)
        except UnknownQuestionError as error:
            raise RefusedError(HTTPStatus.NOT_FOUND, str(error)) from error
        except ChangedMeanwhileError as error:
            raise RefusedError(HTTPStatus.CONFLICT, str(error)) from error
        except SourceError as error:
            raise RefusedError(HTTPStatus.INTERNAL_SERVER_ERROR, str(error)) from error
        except ValueError as error:
            raise RefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error
        except OSError as error:
            why = f"not saved ({error.strerror or error}); make room and score again"
            raise RefusedError(HTTPStatus.INSUFFICIENT_STORAGE, why) from error

    def _page(self, _: Request) -> Reply:
        one = self.sessions[0]
        page = Template(_read(_SHARED, "page.html").decode()).substitute(
            title=one.title,
            study=one.title.partition(":")[0],
            thing=one.thing,
            given=one.given,
            question=_read(one.page, "question.html").decode(),
        )
        return Reply(page.encode(), "text/html; charset=utf-8")

    def _file(self, request: Request) -> Reply:
        package, name, kind = _FILES[request.path]
        return Reply(_read(package or self.sessions[0].page, name), kind)

    def _raters(self, _: Request) -> Reply:
        return _json([{"rater": one.rater, **_progress(one)} for one in self.sessions])

    def _state(self, _: Request, number: str) -> Reply:
        return _json(self._session(number).state())

    def _rate(self, request: Request, number: str) -> Reply:
        session = self._session(number)
        given = request.fields("question", "score", "was")
        session.rate(given["question"], given["score"], given["was"])
        return _json(_progress(session))

    def _undo(self, request: Request, number: str) -> Reply:
        session = self._session(number)
        given = request.fields("question", "score")
        session.undo(given["question"], given["score"])
        return _json(session.state())

    def _restart(self, request: Request, number: str) -> Reply:
        session = self._session(number)
        session.restart(request.fields("round")["round"])
        return _json(session.state())

    def _image(self, _: Request, name: str, side: str) -> Reply:
        session = next((one for one in self.sessions if one.asks(name)), self.sessions[0])
        buffer = io.BytesIO()
        session.image(name, int(side)).save(buffer, "PNG", compress_level=1)
        return Reply(buffer.getvalue(), "image/png", cache="private, max-age=3600")

    def _session(self, number: str) -> Session[Any]:
        if int(number) >= len(self.sessions):
            raise RefusedError(HTTPStatus.NOT_FOUND, f"there is no rater {number}")
        return self.sessions[int(number)]


_TABLE: tuple[tuple[str, str, Callable[..., Reply]], ...] = (
    ("GET", "/", Routes._page),
    ("GET", "|".join(map(re.escape, _FILES)), Routes._file),
    ("GET", "/api/raters", Routes._raters),
    ("GET", "/api/raters/([0-9]{1,4})", Routes._state),
    ("PUT", "/api/raters/([0-9]{1,4})/scores", Routes._rate),
    ("POST", "/api/raters/([0-9]{1,4})/undo", Routes._undo),
    ("POST", "/api/raters/([0-9]{1,4})/restart", Routes._restart),
    ("GET", "/images/([0-9a-f]{24})/([01])", Routes._image),
)


@lru_cache
def _read(package: str, name: str) -> bytes:
    return files(package).joinpath(name).read_bytes()


def _json(value: Any) -> Reply:
    return Reply(json.dumps(value).encode())


def _progress(session: Session[Any]) -> dict[str, int]:
    return {"rated": session.rated, "of": len(session)}
