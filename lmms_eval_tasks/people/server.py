"""Serves the page of a study to people at this machine, and to nobody else.

Bound to the loopback interface. A site that reaches it by a name of its own (DNS rebinding) sends
another Host header, and a page of another origin says so in Origin: both are refused. Names and
texts go out as JSON and images under opaque names, so nothing that a data set holds becomes markup
or a path.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from loguru import logger

from lmms_eval_tasks.people.routes import JSON, RefusedError, Reply, Routes
from lmms_eval_tasks.people.session import Session

LOOPBACK = "127.0.0.1"
LONGEST_BODY = 4096
MOST_CONNECTIONS = 64
_DRAINED = 1 << 20
# Any port: it may be another one at the near end of a tunnel.
_OUR_HOSTS = re.compile(r"(127\.0\.0\.1|localhost)(:[0-9]{1,5})?", re.IGNORECASE)
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class ServerError(RuntimeError):
    """The page cannot be served; the message says why and what to do."""


class RatingServer(ThreadingHTTPServer):
    """Serves the sessions of one study: `serve_forever` begins, `server_close` ends.

    Args:
        sessions: one per rater, at least one.
        port: where to listen; 0 for any free one.

    Raises:
        ServerError: if the port cannot be had.
    """

    daemon_threads = True
    request_queue_size = 2 * MOST_CONNECTIONS

    def __init__(self, sessions: Sequence[Session[Any]], port: int = 0) -> None:
        self.routes = Routes(sessions)
        self._guard = threading.Lock()
        self._connections: dict[socket.socket, None] = {}  # the one that was idle longest first
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise ServerError(
                f"port {port} cannot be used ({why}); give another one, or 0 for any free one"
            ) from error

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.server_port}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread; of too many, the one that was idle longest ends."""
        with self._guard:
            self._connections[request] = None
            idle = next(iter(self._connections))
            if len(self._connections) > MOST_CONNECTIONS:
                del self._connections[idle]
                with suppress(OSError):
                    idle.shutdown(socket.SHUT_RDWR)
        super().process_request(request, client_address)

    def note_request(self, connection: socket.socket) -> None:
        """A connection is in use: it is the last one to end."""
        with self._guard:
            if connection in self._connections:
                self._connections[connection] = self._connections.pop(connection)

    def shutdown_request(self, request: Any) -> None:
        """A connection has ended."""
        with self._guard:
            self._connections.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """A browser that went away is no error; anything else is one of ours."""
        error = sys.exc_info()[1]
        if not isinstance(error, (ConnectionError, TimeoutError)):
            logger.opt(exception=error).error("a request of the page failed")


class _Handler(BaseHTTPRequestHandler):
    """One connection; it is the `Request` that `Routes` answers."""

    server: RatingServer
    method: str
    protocol_version = "HTTP/1.1"
    timeout = 60  # seconds without a byte

    def _answer(self) -> None:
        self.server.note_request(self.connection)
        self.method, self.path = self.command, self.path.partition("?")[0]
        self._left = self._length()
        try:
            self._check_origin()
            reply = self.server.routes.answer(self)
        except RefusedError as refused:
            error = json.dumps({"error": str(refused)}).encode()
            self._send(Reply(error, status=refused.status), allow=refused.allow)
        else:
            self._send(reply)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _answer  # noqa: N815

    def _length(self) -> int | None:
        """How long the body is; None where that is not said in a way that we read."""
        length = self.headers.get("Content-Length", "0")
        known = re.fullmatch("[0-9]{1,18}", length) and "Transfer-Encoding" not in self.headers
        return int(length) if known else None

    def _check_origin(self) -> None:
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or not _OUR_HOSTS.fullmatch(hosts[0]):
            raise RefusedError(
                HTTPStatus.FORBIDDEN, f"this page is only served as {LOOPBACK} or localhost"
            )
        if self.headers.get("Origin", f"http://{hosts[0]}") != f"http://{hosts[0]}":
            raise RefusedError(HTTPStatus.FORBIDDEN, "another page sent this request")

    def fields(self, *names: str) -> dict[str, Any]:
        """The body: a JSON object with exactly these fields.

        Raises:
            RefusedError: if it is none.
        """
        # A form of another site can send everything but this type without asking first.
        if self.headers.get_content_type() != JSON or "Content-Type" not in self.headers:
            raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"the body must be {JSON}")
        if self._left is None:
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "the body's length must be said")
        if self._left > LONGEST_BODY:
            raise RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the body may have {LONGEST_BODY} bytes, not {self._left}",
            )
        body, self._left = self.rfile.read(self._left), 0
        try:
            given = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "the body is not JSON") from error
        if not isinstance(given, dict) or set(given) != set(names):
            raise RefusedError(
                HTTPStatus.BAD_REQUEST, f"the body must be an object of {' and '.join(names)}"
            )
        return given

    def _send(self, reply: Reply, allow: str | None = None) -> None:
        if self._left != 0:  # a body that was not read would pass for the next request
            self.close_connection = True
            self._drain()
        self.send_response(reply.status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", reply.type)
        self.send_header("Content-Length", str(len(reply.body)))
        self.send_header("Cache-Control", reply.cache)
        if allow is not None:
            self.send_header("Allow", allow)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def _drain(self) -> None:
        """Read what is being sent, up to a limit: many clients listen only afterwards."""
        left = min(self._left or 0, _DRAINED)
        while left > 0 and (part := self.rfile.read(min(left, 1 << 16))):
            left -= len(part)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Refuse what is no request at all, as the base class asks for."""
        self.close_connection, self._left = True, 0
        self.request_version = self.protocol_version  # without one there would be no status line
        status = HTTPStatus(code)
        error = json.dumps({"error": message or status.phrase}).encode()
        self._send(Reply(error, status=status))

    def version_string(self) -> str:
        """What the header `Server` says: neither library nor version."""
        return "pairbench"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: a study is hundreds of requests."""
