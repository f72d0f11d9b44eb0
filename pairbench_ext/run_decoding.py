"""How the replies of a run were generated, as the harness's results say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pairbench_ext.sample_log import date_of, task_name


def decoding_of(samples: Path) -> Mapping[str, Any]:
    """A task's `generation_kwargs` in a run, what `--gen_kwargs` changed included.

    Args:
        samples: the file of the task's samples; the results of the run lie beside it.

    Returns:
        The settings by name; none where no results are there, or they do not say.
    """
    results = samples.with_name(f"{date_of(samples)}_results.json")
    try:
        config = json.loads(results.read_text(encoding="utf-8"))["configs"][task_name(samples)]
        settings = config["generation_kwargs"]
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return settings if isinstance(settings, dict) else {}
