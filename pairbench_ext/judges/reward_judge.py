"""Use a reward model as a judge: your own function, a checkpoint, or vLLM's `/classify`.

lmms-eval --model reward_judge --model_args reward=my_rewards:score --tasks vl_rewardbench_both
lmms-eval --model reward_judge --model_args pretrained=FOLDER --tasks vl_rewardbench_both
lmms-eval --model reward_judge --model_args url=http://localhost:8000,model=NAME --tasks ...
"""

from __future__ import annotations

import importlib
import json
import sys
import urllib.request
from functools import partial
from typing import TYPE_CHECKING, Any

from loguru import logger

from pairbench_ext.core.contents import content, digest
from pairbench_ext.core.readers import Candidate, Reward, reward_reply
from pairbench_ext.core.visual import png_url
from pairbench_ext.judges.local_judge import CannotAnswer, LocalJudge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lmms_eval.api.instance import Instance
    from PIL.Image import Image

_TIMEOUT = 600  # seconds


class RewardJudge(LocalJudge):
    """A judge that gets each answer's score from a reward model, in one call per answer.

    Args:
        reward: `module:function`, called with images, prompt and answer (empty for an image by
            itself); the module may be a file in the working folder.
        pretrained: folder or name of a checkpoint of `AutoModelForSequenceClassification`.
        url: of a vLLM server, without `/classify`.
        model: as that server calls it.
        harness: arguments of `LocalJudge`.

    Raises:
        ValueError: unless one of `reward`, `pretrained` and `url` is given, or if there is no such
            function.
    """

    NAME = "reward_judge"

    def __init__(
        self,
        reward: str = "",
        pretrained: str = "",
        url: str = "",
        model: str = "",
        device: str = "cpu",
        **harness: Any,
    ) -> None:
        super().__init__(**harness)
        if sum(map(bool, (reward, pretrained, url))) != 1:
            raise ValueError(
                f"{self.NAME} needs a reward model: give one of "
                "reward=module:function, pretrained=CHECKPOINT or url=ADDRESS"
            )
        self.named = reward or pretrained or url
        self._reward: Reward
        if reward:
            self._reward = function_named(reward)
        elif pretrained:
            self._reward = of_checkpoint(pretrained, device or "cpu")
        else:
            self._reward = partial(of_server, f"{url.rstrip('/')}/classify", model)
        self._known: dict[bytes, float] = {}

    def answer(self, requests: Sequence[Instance]) -> list[str]:
        """Return one reply per request: the scores of its answers, as text."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Instance) -> str:
        document, _ = self.document(request)  # which notes what it shows, and what cannot be shown
        doc: Any = getattr(document, "plain", document)
        if not hasattr(doc, "docs"):
            return CannotAnswer("This judge can judge tasks of pairbench-ext only.")
        if doc.docs.failure or doc.number in doc.docs.unasked:
            return ""
        try:
            candidates = doc.docs.trials.candidates(doc)
        except ValueError as error:
            return CannotAnswer(f"{error}.")
        try:
            return reward_reply([*map(self._judged, candidates)], self.named)
        except Exception as error:  # noqa: BLE001  (the harness would lose every finished task)
            logger.warning(f"{self.named}, {request.task_name}, document {doc.number}: {error!r}")
            return f"[LMMS_EVAL_REQUEST_FAILED after 1 retries] {error!r:.200}"

    def _judged(self, candidate: Candidate) -> float:
        images = [image.convert("RGB") for image in candidate.images()]
        key = digest(content([images, candidate.prompt, candidate.answer]))
        if key not in self._known:
            self._known[key] = self._reward(images, candidate.prompt, candidate.answer)
        return self._known[key]


def function_named(name: str) -> Reward:
    """Return the function named `module:function`, looked up in the working folder first.

    Raises:
        ValueError: if there is none.
    """
    module, _, function = name.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Reward = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"reward={name} cannot be imported as module:function: {error}") from error
    return found


def of_checkpoint(name: str, device: str) -> Reward:
    """Return a function that gives a checkpoint's first logit for a prompt and an answer."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoProcessor

    processor = AutoProcessor.from_pretrained(name)
    model = AutoModelForSequenceClassification.from_pretrained(name).to(device).eval()

    def reward(images: Sequence[Image], prompt: str, answer: str) -> float:
        pictures: list[dict[str, Any]] = [{"type": "image", "image": image} for image in images]
        inputs = processor.apply_chat_template(
            _chat(pictures, prompt, answer), tokenize=True, return_dict=True, return_tensors="pt"
        )
        with torch.inference_mode():
            return float(model(**inputs.to(device)).logits[0, 0])

    return reward


def of_server(url: str, model: str, images: Sequence[Image], prompt: str, answer: str) -> float:
    """Return an answer's first raw score (no activation) from vLLM's `/classify`.

    Raises:
        ValueError: if the server gives none.
        OSError: if it cannot be reached, or refuses.
    """
    pictures = [{"type": "image_url", "image_url": {"url": png_url(image)}} for image in images]
    chat = _chat(pictures, prompt, answer)
    body = json.dumps({"model": model, "messages": chat, "use_activation": False}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:  # noqa: S310
        answered = json.load(response)
    try:
        return float(answered["data"][0]["probs"][0])
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"{url} gives no number: {answered!r:.200}") from error


def _chat(pictures: list[dict[str, Any]], prompt: str, answer: str) -> list[dict[str, Any]]:
    asked = {"role": "user", "content": [*pictures, {"type": "text", "text": prompt}]}
    answered = {"role": "assistant", "content": [{"type": "text", "text": answer}]}
    return [asked, answered] if answer else [asked]
