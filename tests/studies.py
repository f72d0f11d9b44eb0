"""A study without a data set: small images that say which pair they are of."""

import json
import multiprocessing
import urllib.error
import urllib.request
from contextlib import contextmanager
from threading import Event, Thread

from PIL import Image

from lmms_eval_tasks.pairbench.ground_truth import READER
from lmms_eval_tasks.pairbench.pairs import KINDS
from lmms_eval_tasks.people.events import EventsFile
from lmms_eval_tasks.people.pairs.ratings import Rating
from lmms_eval_tasks.people.pairs.study import Key, PairStudy, Stratum
from lmms_eval_tasks.people.server import RatingServer
from lmms_eval_tasks.people.session import Session
from lmms_eval_tasks.people.study import Datum, Question
from pairbench_ext.statistics import seeds

SPLITS = ("rotate", "<i>blur</i>")


def cells(rows=4, splits=SPLITS, kinds=KINDS):
    return tuple(
        Stratum("birds", split, kind, condition, kind, rows)
        for split in splits
        for kind in kinds
        for condition in ("sens", "inv")
    )


class ColourPool:
    """Pairs of plain colours; a pair of split `texts` is an image and a text."""

    def __init__(self, splits=SPLITS, seed=0):
        self.cells = cells(splits=splits)
        self.seed = seed

    def question(self, key):
        text = f"<script>alert({key.row})</script> & a mug" if key.split == "texts" else None
        labels = ("Image", "Text") if text else ("Image 1", "Image 2")
        told = {
            "condition": key.condition, "task": "Score <b>them</b>.",
            "conditions": [f"Mind <u>{key.split}</u>."],
            "summary": [f"{key.condition} <s>{key.split}</s>"],
            "note": "None & nothing.", "ends": ["least similar", "completely similar"],
        }  # fmt: skip
        facts = {"kind": key.pair, "features": [key.split]}
        return Question((Datum(labels[0]), Datum(labels[1], text)), told, 10, facts)

    def image(self, key, side):
        hue = [seeds.draw(256, self.seed, key.split, key.row, side, band) for band in range(3)]
        return Image.new("RGB", (40 + 4 * side, 30), tuple(hue))


def read_log(path):
    """What a file of ratings says."""
    return READER.log_of(path)


def rating(rater, row, condition, score, kind="identical", feature="rotate", config="c"):
    key = Key(config, feature, row, kind, condition)
    return Rating(rater, key, score, "", "here", kind, (feature,))


@contextmanager
def serving(path, raters=("anna",), n=6, pool=None, port=0):
    """The page over a ratings file."""
    study = PairStudy(pool or ColourPool(), n, 0)
    with EventsFile(path, READER) as file:
        sessions = [Session(rater, study, file) for rater in raters]
        with served(sessions, port) as server:
            yield server


@contextmanager
def served(sessions, port=0):
    """The page of sessions, in a thread of its own."""
    with RatingServer(sessions, port) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


JSON = {"Content-Type": "application/json"}


def ask(server, method, where, body=None, headers=JSON):
    """(status, headers, body) of a request; JSON is read."""
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    request = urllib.request.Request(
        server.url.rstrip("/") + where, body, dict(headers), method=method
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status, reply.headers, _read(reply)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, _read(error)


def _read(reply):
    body = reply.read()
    return json.loads(body) if reply.headers["Content-Type"] == "application/json" else body


def serve_until_killed(path, port, tell):
    with serving(path, n=48, port=port) as server:
        tell.send(server.url)
        Event().wait()


class ServerProcess:
    """A server in a process of its own, which can be killed; one rater, all 48 pairs."""

    def __init__(self, path, port=0):
        fork = multiprocessing.get_context("fork")
        told, tell = fork.Pipe(duplex=False)
        self._process = fork.Process(target=serve_until_killed, args=(path, port, tell))
        self._process.start()
        assert told.poll(60), "the server did not start"
        self.url = told.recv()

    def kill(self):
        """As a machine does that goes down."""
        self._process.kill()
        self._process.join()
