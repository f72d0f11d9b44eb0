"""Serve a study's page to browsers on this machine only.

GET  /                        the page; /page.css, /core.js, /page.js, /icon.svg
GET  /api/raters              who rates, and how far each one is
GET  /api/raters/0            the pairs of a rater's present round, with the scores given
PUT  /api/raters/0/scores     {"question": id, "score": 7, "was": null}: recorded once answered
POST /api/raters/0/undo       {"question": id, "score": 7}: take back the last score of a pair
POST /api/raters/0/restart    {"round": 1}: go on to that round, the next one
GET  /images/ID/0             the first (0) or second (1) image of a pair, as PNG

`was` is the score that the page knows the pair to have: a stale page does not overwrite another's.
Rounds and raters are counted from 0; what is refused is answered with {"error": why}.

Bound to the loopback interface. A site that reaches it by a name of its own (DNS rebinding) sends
another Host header, and a page of another origin says so in Origin: both are refused. Names and
texts go out as JSON and images under opaque names, so nothing that a data set holds becomes markup
or a path.
"""

import json
import re
import sys
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from string import Template
from typing import Any

from loguru import logger

from lmms_eval_tasks.people.session import ChangedMeanwhileError, Session, UnknownQuestionError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.visual import encoded

LOOPBACK = "127.0.0.1"
JSON = "application/json"
_SHARED = "lmms_eval_tasks.people"
_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
# Any port: it may be another one at the near end of a tunnel.
_OUR_HOSTS = re.compile(r"(127\.0\.0\.1|localhost)(:[0-9]{1,5})?", re.IGNORECASE)
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_STATUS: dict[type[Exception], HTTPStatus] = {
    UnknownQuestionError: HTTPStatus.NOT_FOUND,
    ChangedMeanwhileError: HTTPStatus.CONFLICT,
    SourceError: HTTPStatus.INTERNAL_SERVER_ERROR,
    ValueError: HTTPStatus.UNPROCESSABLE_ENTITY,
}


class RefusedError(Exception):
    """Raised to refuse a browser's request, with an HTTP status and a reason."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class RatingServer(ThreadingHTTPServer):
    """A web server for all raters' sessions of one study.

    Args:
        sessions: one per rater, at least one; the page calls them by their place.
        port: where to listen; 0 for any free one.

    Raises:
        OSError: if the port cannot be had.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, sessions: Sequence[Session[Any]], port: int = 0) -> None:
        self.sessions = sessions
        super().__init__((LOOPBACK, port), _Handler)

    @property
    def url(self) -> str:
        """Return the web address of the study's page."""
        return f"http://{LOOPBACK}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """Ignore an error of a browser that disconnected; log any other error."""
        error = sys.exc_info()[1]
        if not isinstance(error, (ConnectionError, TimeoutError)):
            logger.opt(exception=error).error("a request from the rating page failed")


class _Handler(BaseHTTPRequestHandler):
    """One connection, with as many requests as the browser sends."""

    server: RatingServer
    protocol_version = "HTTP/1.1"
    timeout = 60  # seconds without a byte

    def _answer(self) -> None:
        try:
            self._check_origin()
            self._send(*self._reply(self.path.partition("?")[0]))
        except RefusedError as refused:
            self.close_connection = True  # a body that was not read would be the next request
            self._send(json.dumps({"error": str(refused)}).encode(), JSON, refused.status)

    do_GET = do_POST = do_PUT = _answer  # noqa: N815

    def _check_origin(self) -> None:
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or not _OUR_HOSTS.fullmatch(hosts[0]):
            raise RefusedError(
                HTTPStatus.FORBIDDEN, f"open this page under the name {LOOPBACK} or localhost"
            )
        if self.headers.get("Origin", f"http://{hosts[0]}") != f"http://{hosts[0]}":
            raise RefusedError(
                HTTPStatus.FORBIDDEN, "another web page sent this request, so it is refused"
            )

    def _reply(self, path: str) -> tuple[bytes, str]:
        for method, pattern, answer in _TABLE:
            match = re.fullmatch(pattern, path)
            if match is None or method != self.command:
                continue
            try:
                return answer(self, *match.groups())
            except tuple(_STATUS) as error:
                status = next(code for kind, code in _STATUS.items() if isinstance(error, kind))
                raise RefusedError(status, str(error)) from error
            except OSError as error:
                why = f"not saved ({error.strerror or error}); free some space and score again"
                raise RefusedError(HTTPStatus.INSUFFICIENT_STORAGE, why) from error
        raise RefusedError(HTTPStatus.NOT_FOUND, "there is no page with this name")

    def _page(self) -> tuple[bytes, str]:
        study = self.server.sessions[0].study
        page = Template(_read(_SHARED, "page.html").decode()).substitute(
            title=study.title,
            study=study.title.partition(":")[0],
            thing=study.thing,
            given=study.given,
            question=_read(study.page, "question.html").decode(),
        )
        return page.encode(), _TYPES["html"]

    def _file(self, name: str) -> tuple[bytes, str]:
        package = self.server.sessions[0].study.page if name == "page.js" else _SHARED
        return _read(package, name), _TYPES[name.rpartition(".")[2]]

    def _raters(self) -> tuple[bytes, str]:
        return _json([{"rater": s.rater, **_progress(s)} for s in self.server.sessions])

    def _state(self, number: str) -> tuple[bytes, str]:
        return _json(self._session(number).state())

    def _rate(self, number: str) -> tuple[bytes, str]:
        session = self._session(number)
        session.rate(*self._fields("question", "score", "was"))
        return _json(_progress(session))

    def _undo(self, number: str) -> tuple[bytes, str]:
        session = self._session(number)
        session.undo(*self._fields("question", "score"))
        return _json(session.state())

    def _restart(self, number: str) -> tuple[bytes, str]:
        session = self._session(number)
        session.restart(*self._fields("round"))
        return _json(session.state())

    def _image(self, name: str, side: str) -> tuple[bytes, str]:
        sessions = self.server.sessions
        session = next((rater for rater in sessions if rater.asks(name)), sessions[0])
        return encoded(session.image(name, int(side)), compress_level=1), "image/png"

    def _session(self, number: str) -> Session[Any]:
        if int(number) >= len(self.server.sessions):
            raise RefusedError(HTTPStatus.NOT_FOUND, f"there is no rater with the number {number}")
        return self.server.sessions[int(number)]

    def _fields(self, *names: str) -> list[Any]:
        """Return the values of these fields in the request's body, a JSON object.

        Raises:
            RefusedError: if it is none, or has not all of them.
        """
        # A form of another site can send everything but this type without asking first.
        if self.headers.get("Content-Type") != JSON:
            raise RefusedError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"the request's body must be {JSON}"
            )
        try:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            return [given[name] for name in names]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise RefusedError(
                HTTPStatus.BAD_REQUEST,
                f"the request's body must be an object of {' and '.join(names)}",
            ) from error

    def _send(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        cached = "private, max-age=3600" if kind == "image/png" else "no-store"
        self.send_header("Cache-Control", cached)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing: a study makes hundreds of requests."""


_TABLE: tuple[tuple[str, str, Callable[..., tuple[bytes, str]]], ...] = (
    ("GET", "/", _Handler._page),
    ("GET", r"/(page\.css|core\.js|page\.js|icon\.svg)", _Handler._file),
    ("GET", "/api/raters", _Handler._raters),
    ("GET", "/api/raters/([0-9]{1,4})", _Handler._state),
    ("PUT", "/api/raters/([0-9]{1,4})/scores", _Handler._rate),
    ("POST", "/api/raters/([0-9]{1,4})/undo", _Handler._undo),
    ("POST", "/api/raters/([0-9]{1,4})/restart", _Handler._restart),
    ("GET", "/images/([0-9a-f]{24})/([01])", _Handler._image),
)


def _read(package: str, name: str) -> bytes:
    return files(package).joinpath(name).read_bytes()


def _json(value: Any) -> tuple[bytes, str]:
    return json.dumps(value).encode(), JSON


def _progress(session: Session[Any]) -> dict[str, int]:
    return {"rated": session.rated, "of": len(session)}
