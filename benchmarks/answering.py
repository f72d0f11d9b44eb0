"""Models that answer `generate_until` alone, and the requests that they are asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms


class Answering(lmms):  # type: ignore[misc]  # the harness is untyped
    """A simple backend of one request type, as nearly all of the harness's are."""

    is_simple = True

    def loglikelihood(self, requests: Sequence[Any]) -> list[Any]:
        """Not asked for here."""
        raise NotImplementedError

    def generate_until_multi_round(self, requests: Sequence[Any]) -> list[Any]:
        """Not offered."""
        raise NotImplementedError


def request(
    text: str,
    doc: int,
    *functions: Any,
    temperature: float = 0,
    kind: str = "generate_until",
) -> Instance:
    """A request of the harness about a document of `task_dict["task"]["test"]`.

    Args:
        text: the prompt.
        doc: number of the document.
        functions: of the task: what shows a document, and in rounds what asks on.
        temperature: of the generation.
        kind: type of the request.
    """
    settings = {"temperature": temperature, "max_new_tokens": 16}
    return Instance(
        request_type=kind,
        arguments=(text, settings, *functions, doc, "task", "test"),
        idx=0,
        metadata={"task": "task", "doc_id": doc, "repeats": 1},
    )
