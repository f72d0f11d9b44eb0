"""A judge's endpoint: a real HTTP server on this machine that speaks OpenAI's chat completions."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FINAL = {"x-should-retry": "false"}  # OpenAI's client would wait and ask again


class _Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # a client has dropped its connection


class Endpoint:
    """Answers `answer(prompt)` and remembers what it was asked.

    A text is the model's reply. A number is the status of a failure (after which the client is told
    not to ask again), bytes are the body itself, and a pair is a status with headers. None drops
    the connection. With `whole`, it is told all messages, not the content of the last one.
    """

    def __init__(self, answer, *, whole=False):
        self.answer = answer
        self.whole = whole
        self.requests = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def prompts(self):
        return [body["messages"][-1]["content"] for _, _, body in self.requests]

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _handler(self):
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"  # connections are kept, as servers keep them

            def do_GET(self):  # `local` looks whether the server is there
                self._send(200, {}, b'{"data": []}')

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with endpoint._lock:
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    endpoint.requests.append((self.path, headers, body))
                messages = body["messages"]
                answer = endpoint.answer(messages if endpoint.whole else messages[-1]["content"])
                if answer is None:
                    self.close_connection = True
                else:
                    self._send(*_response(answer, body))

            def _send(self, status, headers, body):
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler


def _response(said, body):
    if isinstance(said, bytes):
        return 200, {}, said
    if isinstance(said, (int, tuple)):
        status, headers = said if isinstance(said, tuple) else (said, FINAL)
        return status, headers, b'{"error": {"message": "no"}}'
    return 200, {}, completion(said, body["model"])


def completion(content, model="judge"):
    """The body of a reply."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}}
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    reply = {"id": "1", "object": "chat.completion", "created": 0, "model": model, "usage": usage}
    return json.dumps({**reply, "choices": [{**choice, "finish_reason": "stop"}]}).encode()
