"""Serves the page of a run in progress to this machine, and to nobody else.

Bound to the loopback interface; another Host header (DNS rebinding) is refused. It answers `GET` of
four addresses, none of which is a path of the file system, and takes nothing.
"""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files

from pairbench_ext.core.characters import encodable
from pairbench_ext.live.progress import Progress

LOOPBACK = "127.0.0.1"
_OUR_HOSTS = re.compile(r"(127\.0\.0\.1|localhost)(:[0-9]{1,5})?", re.IGNORECASE)
_PAGES = {"/": "page.html", "/page.css": "page.css", "/page.js": "page.js"}
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class PortError(RuntimeError):
    """The port cannot be had; the message says why and what to do."""


class LiveServer(ThreadingHTTPServer):
    """Serves one journal's page: `serve_forever` begins, `server_close` ends.

    Args:
        progress: of the journal.
        port: where to listen; 0 for any free one.

    Raises:
        PortError: if the port cannot be had.
    """

    daemon_threads = True

    def __init__(self, progress: Progress, port: int = 0) -> None:
        self.progress = progress
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except OSError as error:
            raise PortError(
                f"port {port} cannot be used ({error.strerror}); give another one, or 0 for any "
                "free one"
            ) from error

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.server_port}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that goes away is no error of ours, and its request needs no answer."""


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer
    timeout = 60  # seconds without a byte

    def do_GET(self) -> None:
        hosts = self.headers.get_all("Host") or []
        path = self.path.partition("?")[0]
        if len(hosts) != 1 or not _OUR_HOSTS.fullmatch(hosts[0]):
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"served as localhost only")
        elif path == "/state":
            state = json.dumps(encodable(self.server.progress.state()))
            self._send(HTTPStatus.OK, "application/json", state.encode())
        elif path in _PAGES:
            name = _PAGES[path]
            content = (files("pairbench_ext.live") / name).read_bytes()
            self._send(HTTPStatus.OK, _TYPES[name.partition(".")[2]], content)
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"there is nothing here")

    do_HEAD = do_GET  # noqa: N815

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        """What the header `Server` says: neither library nor version."""
        return "pairbench"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: the page asks every few seconds."""
