"""What the models of benchmarks share: they answer `generate_until`, and nothing else is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
