"""Find out whether the model of the current evaluation can be asked without an image.

Some backends of the harness raise for such a request (an index into an empty list of images, an
image processor that is given none), and the harness then loses the whole run, finished tasks
included. A task with text-only requests asks the model one short question without an image first;
where that fails, and the same question with a blank image works, the task shows `blank_image()` in
all requests without one.

Others raise for a request with several images. A task whose first request shows several is asked
about in the same way, and is left out where the model cannot be shown as many.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from loguru import logger

from pairbench_ext.harness.conversations import explain_conversations
from pairbench_ext.harness.on_import import around

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from lmms_eval.api.model import lmms
    from PIL import Image

BLANK_SIZE = 112  # pixels: a multiple of the patches of Qwen's, LLaVA's and InternVL's encoders
QUESTION = "What is the capital of France? Answer with one word."

_TASK = "pairbench_ext_text_only"

_lock = threading.RLock()
_models: list[ref[lmms]] = []
#: By model and number of images: how it fails.
_problems: WeakKeyDictionary[Any, dict[int, str]] = WeakKeyDictionary()
_NO_ANSWER = "no answer"


def blank_image() -> Image.Image:
    """Return the small white image that is shown to a backend that needs one."""
    from PIL import Image

    return Image.new("RGB", (BLANK_SIZE, BLANK_SIZE), "white")


def accepts_text_only(docs: object = None) -> bool:
    """Return whether the model that is evaluated at present can be asked without an image.

    The first call for a model may ask it one or two short questions, so it is best made before
    anything is generated. A warning says once that a model is shown the blank image.

    Args:
        docs: documents of the current evaluation, as the harness has them; they lead to the model
            where several are loaded. Without them it is the one that was loaded last.

    Returns:
        True also where no model is known.
    """
    model = current_model(docs)
    return model is None or not text_only_problem(model)


def text_only_problem(model: lmms) -> str:
    """Return why a model cannot be asked without an image; empty if it can."""
    return _problem(model, 0)


def images_problem(docs: Any) -> str:
    """Return why the model that is evaluated cannot be shown as many images as a task shows.

    Empty if it can. Only simple backends are asked, once for each number of images in a first
    request: chat backends are made for any number.
    """
    from pairbench_ext.harness import hooks

    model = current_model(docs)
    if model is None or not model.is_simple:
        return ""
    n = len(hooks.doc_to_visual(docs[0]))
    problem = _problem(model, n) if n > 1 else ""
    if problem in ("", _NO_ANSWER):
        return ""
    name = type(getattr(model, "_base", model)).__name__
    return f"the model {name} cannot be shown {n} images at once ({problem})"


def _problem(model: lmms, n: int) -> str:
    """Return how a model fails if it is shown n images, and not if it is shown one; else nothing.

    Where one image does not help, something else is wrong: a server is down.
    """
    asked = getattr(model, "_base", model)  # the model that answers, if `resumable` wraps it
    with _lock:
        known = _problems.setdefault(asked, {})
        if n not in known:
            problem = _failure(asked, [blank_image()] * n)
            known[n] = "" if problem and _failure(asked, [blank_image()]) else problem
            if known[n] and n == 0:
                logger.warning(
                    f"the model {type(asked).__name__} cannot be asked without an image "
                    f"({problem}): where a task shows none, it is shown a small blank one"
                )
        return known[n]


def remember_models(module: ModuleType) -> None:
    """Take note of every model that is built: `module` is `lmms_eval.api.model`.

    One that holds no conversation is also made to say so (`conversations`).
    """

    @around(module.lmms, "__init__")
    def init(original: Callable[..., None], self: lmms, *arguments: Any, **options: Any) -> None:
        original(self, *arguments, **options)
        _models.append(ref(self))
        explain_conversations(self)


def documents_of_the_run(docs: object) -> list[Any]:
    """The documents of all tasks that are evaluated together with these, themselves included."""
    model = current_model(docs)
    together = [] if model is None else list(model.task_dict.values())
    documents = [split for task in together for split in task.values()]
    return documents if any(split is docs for split in documents) else [docs]


def current_model(docs: object = None) -> lmms | None:
    """The model that is evaluated at present: that of the documents, else the one loaded last."""
    alive = [model for reference in reversed(_models) if (model := reference()) is not None]
    if docs is not None:
        for model in alive:
            splits = (split for task in model.task_dict.values() for split in task.values())
            if any(split is docs for split in splits):
                return model
    return alive[0] if alive else None


def _failure(model: lmms, images: list[Image.Image]) -> str:
    """Return how a model fails on one question with these images; empty if it answers."""
    from lmms_eval.api.instance import Instance, unwrap_generation_output

    def doc_to_visual(_: Any) -> list[Image.Image]:
        return images

    def doc_to_messages(_: Any) -> list[dict[str, Any]]:
        shown = [{"type": "image", "url": image} for image in images]
        return [{"role": "user", "content": [*shown, {"type": "text", "text": QUESTION}]}]

    settings = {"max_new_tokens": 8, "temperature": 0, "do_sample": False, "until": []}
    ways = (settings, doc_to_visual) if model.is_simple else (doc_to_messages, settings)
    request = Instance(
        request_type="generate_until",
        arguments=(QUESTION, *ways, 0, _TASK, "test"),
        idx=0,
        metadata={"task": _TASK, "doc_id": 0, "repeats": 1},
    )
    model.task_dict[_TASK] = {"test": [{}]}
    try:
        [output] = model.generate_until([request])
    except Exception as error:  # noqa: BLE001  (what a backend raises differs)
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        del model.task_dict[_TASK]
    text, _ = unwrap_generation_output(output)
    return "" if text else _NO_ANSWER
