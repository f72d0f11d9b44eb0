"""Test, before a task starts, whether the evaluated model accepts the task's requests.

A backend of the harness that cannot be asked something raises, and the harness then loses the whole
run, finished tasks included. So a backend is asked one short question in the same way first. Where
that fails, and the same question with one image works:

- a task with text-only requests shows `blank_image()` in all requests without an image,
- a task whose first request shows several images, or that asks in rounds, is left out.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from loguru import logger
from PIL import Image

from pairbench_ext.core.benchmark import Request
from pairbench_ext.harness import rounds
from pairbench_ext.harness.evaluated import current_model

if TYPE_CHECKING:
    from lmms_eval.api.model import lmms

BLANK_SIZE = 112  # pixels: a multiple of the patches of Qwen's, LLaVA's and InternVL's encoders
QUESTION = "What is the capital of France? Answer with one word."

#: The harness's name for requests in rounds, which backends answer or do not.
ROUNDS = "generate_until_multi_round"
ONE_ROUND = "generate_until"

_TASK = "pairbench_ext_probe"
_NO_ANSWER = "no answer"
#: Of the question: how many images it shows, or one in the first of two rounds.
Way = int | Literal["rounds"]

_lock = threading.RLock()
_problems: WeakKeyDictionary[Any, dict[Way, str]] = WeakKeyDictionary()


def blank_image() -> Image.Image:
    """Return a small white image, for backends that need an image in every request."""
    return Image.new("RGB", (BLANK_SIZE, BLANK_SIZE), "white")


def accepts_text_only(docs: object = None) -> bool:
    """Return whether the evaluated model can answer without an image; True if there is no model.

    The first call for a model may ask it one or two short questions, so it is best made before
    anything is generated. A warning says once that a model is shown the blank image.

    Args:
        docs: documents of the current evaluation, as the harness has them; they lead to the model
            where several are loaded. Without them it is the one that was loaded last.
    """
    model = current_model(docs)
    return model is None or not text_only_problem(model)


def text_only_problem(model: lmms) -> str:
    """Return why a model cannot answer without an image; empty if it can."""
    return _problem(model, 0)


def images_problem(docs: Any, images_of: Callable[[Any], Sequence[Image.Image]]) -> str:
    """Return why the model cannot be shown as many images as a task shows; empty if it can.

    Only simple backends are asked, once for each number of images in a first
    request: chat backends are made for any number.
    """
    model = current_model(docs)
    if model is None or not model.is_simple:
        return ""
    n = len(images_of(docs[0]))
    problem = _problem(model, n) if n > 1 else ""
    if problem in ("", _NO_ANSWER):
        return ""
    name = type(getattr(model, "_base", model)).__name__
    return f"the model {name} cannot be shown {n} images at once ({problem})"


def rounds_problem(docs: Any, task: str) -> str:
    """Return why the model cannot be asked in several rounds; empty if it can.

    `resumable` can, whatever it wraps: it asks a round at a time.
    """
    model = current_model(docs)
    if model is None or getattr(model, "asked_in_single_rounds", False):
        return ""
    problem = _problem(model, "rounds")
    if not problem:
        return ""
    name = type(model).__module__.rpartition(".")[2]
    alone = task.replace("_rounds", "")
    return (
        f"the model {name} cannot answer several rounds of requests ({problem}); use --model "
        f"resumable --model_args base={name},... or ask one request at a time: --tasks {alone}"
    )


def _problem(model: lmms, way: Way) -> str:
    """Return how a model fails if it is asked in a way, and not if it is shown one image.

    Where one image does not help, something else is wrong: a server is down. But what the backend
    does not implement, it never can.
    """
    asked = getattr(model, "_base", model)  # the model that answers, if `resumable` wraps it
    with _lock:
        problems = _problems.setdefault(asked, {})
        if way not in problems:
            problem = _failure(asked, way)
            never = way == "rounds" and problem.startswith(NotImplementedError.__name__)
            problems[way] = "" if problem and not never and _failure(asked, 1) else problem
            if problems[way] and way == 0:
                logger.warning(
                    f"the model {type(asked).__name__} cannot be asked without an image "
                    f"({problem}). Where a task shows no image, the model gets a small blank one"
                )
        return problems[way]


def _failure(model: lmms, way: Way) -> str:
    """Return how a model fails on one question; empty if it answers."""
    from lmms_eval.api.instance import Instance, unwrap_generation_output

    in_rounds = way == "rounds"
    images = [blank_image()] * (1 if way == "rounds" else way)
    question = Request((lambda: images, QUESTION) if images else (QUESTION,))
    settings = {"max_new_tokens": 8, "temperature": 0, "do_sample": False, "until": []}
    ways: list[Any] = [partial(_messages, question), settings]
    if model.is_simple:
        ways = [settings, lambda _: images, *([partial(_text, question)] * in_rounds)]
    kind = ROUNDS if in_rounds else ONE_ROUND
    requests = [
        Instance(
            request_type=kind,
            arguments=(QUESTION, *copy.deepcopy(ways), number, _TASK, "test"),
            idx=0,
            metadata={"task": _TASK, "doc_id": number, "repeats": 1},
        )
        for number in range(2 if in_rounds else 1)  # in rounds, some fail for a batch only
    ]
    model.task_dict[_TASK] = {"test": [{}, {}]}
    try:
        replies = [unwrap_generation_output(output)[0] for output in getattr(model, kind)(requests)]
    except Exception as error:  # noqa: BLE001  (what a backend raises differs)
        return f"{type(error).__name__}: {error}".replace(_TASK, "a question")[:200]
    finally:
        del model.task_dict[_TASK]
    if in_rounds:
        answered = [len(rounds.unpack(reply)) for reply in replies]
        return (
            ""
            if answered == [2, 2]
            else f"each of two test requests should get 2 replies, but they got {answered}"
        )
    return "" if replies[0] else _NO_ANSWER


def _messages(
    question: Request, _: Any, previous_output: Any = (), round_idx: int | None = None, **__: Any
) -> Any:
    """Return the question as chat backends ask it; in rounds, twice."""
    if round_idx is None:
        return rounds.messages(question)
    return rounds.chat_step(question if round_idx < 2 else None, list(previous_output))


def _text(question: Request, _: Any, previous_output: Any, round_idx: int, **__: Any) -> Any:
    """Return what follows the question where simple backends ask it in rounds: the same, once."""
    return rounds.step(question if round_idx < 2 else None, list(previous_output))
