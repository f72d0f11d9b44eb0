"""`python -m benchmarks.stock_task`: the stock vl_rewardbench and ours, with the same judges.

Judges that reply by rule judge the 30 demo pairs through both tasks. The stock task asks once, in
an order that follows from the lengths of the answers; what its pattern cannot read it sends to an
API and, if that does not help, it tosses a coin. Its score is the mean over the three groups, the
other columns are over all pairs. Here the API is a server in this process that
never helps and counts how often it was asked.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest import mock

from benchmarks.common import Line, markdown, scratch_folder
from lmms_eval_tasks.preference.votes import word_count
from tests.endpoints import Endpoint

STOCK, K5, BOTH = "stock_demo", "vl_rewardbench_demo", "vl_rewardbench_demo_both"
COLUMNS = {
    "K = 5: decided": (K5, "overall_accuracy"),
    "K = 5: strict": (K5, "overall_accuracy_strict"),
    "both: strict": (BOTH, "overall_accuracy_strict"),
    "both: per vote": (BOTH, "vote_accuracy"),
    "both: same winner": (BOTH, "position_consistency"),
    "both: says first": (BOTH, "first_position_rate"),
    "both: coverage": (BOTH, "coverage"),
}
Rule = Callable[[str, str], str]


def _plain(position: int) -> str:
    return f"Both answers were weighed.\n\nOverall Judgment: Answer {position} is better."


def _right(first: str, better: set[str]) -> int:
    return 1 if first in better else 2


def judges(better: set[str]) -> dict[str, Rule]:
    """Rules by name: from the answers shown first and second to a reply."""
    return {
        "always right": lambda first, _: _plain(_right(first, better)),
        "always right, says [[2]]": lambda first, _: f"[[{_right(first, better)}]]",
        "always right, says much better": lambda first, _: (
            f"Overall Judgment: Answer {_right(first, better)} is much better."
        ),
        "always the first answer": lambda *_: _plain(1),
        "always the second answer": lambda *_: _plain(2),
        "the answer with more words": lambda first, second: _plain(
            1 if word_count(first) > word_count(second) else 2
        ),
        "never a verdict": lambda *_: "Both answers have their merits.",
    }


def _answers(prompt: str) -> tuple[str, str]:
    """The two answers of a prompt; both tasks print them alike."""
    first, rest = prompt.split("\n\nAnswer 1: ")[1].split("\n\nAnswer 2: ")
    return first, rest.split("\n\nPlease evaluate both answers")[0]


def compare(folder: Path, only: Sequence[str] = ()) -> Iterator[Line]:
    """One line per judge, all or some by name: stock score, coin tosses, then ours."""
    import lmms_eval.tasks

    from lmms_eval_tasks.vl_rewardbench.demo import demo_preferences, read_preferences
    from pairbench_ext.harness.task_files import tasks_dir
    from tests.judges import PromptJudge, evaluate

    stock = Path(lmms_eval.tasks.__file__).parent / "vl_rewardbench" / "vl_rewardbench.yaml"
    (folder / f"{STOCK}.yaml").write_text(
        f"include: {stock}\ntask: {STOCK}\ndataset_path: {demo_preferences()}\n"
        "dataset_kwargs: {}\n"
    )
    manager = lmms_eval.tasks.TaskManager(
        include_defaults=False, include_path=[str(folder), str(tasks_dir())]
    )
    better = {pair["response"][pair["human_ranking"].index(0)] for pair in read_preferences()}
    for name, rule in judges(better).items():
        if only and name not in only:
            continue
        judge = PromptJudge(lambda prompt, rule=rule: rule(*_answers(prompt)))
        with Endpoint(lambda _: "unclear") as api:
            environment = {  # read when the stock task is loaded
                "API_TYPE": "openai",
                "OPENAI_API_KEY": "unused",
                "OPENAI_API_URL": f"{api.url}/chat/completions",
            }
            with mock.patch.dict(os.environ, environment):
                results = evaluate(judge, [STOCK, K5, BOTH], manager)["results"]
        yield {
            "judge": name,
            "stock score": _text(results[STOCK]["vlreward_score,none"]),
            "of 30 by API or coin": str(len(api.requests)),
            **{title: _text(results[task][f"{of},none"]) for title, (task, of) in COLUMNS.items()},
        }


def _text(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def main() -> None:
    """Print the table as Markdown."""
    with scratch_folder() as scratch:
        import lmms_eval.evaluator  # noqa: F401  (its import sets the log up)
        from loguru import logger

        logger.remove()  # the stock task warns of every coin that it tosses
        print(*markdown(compare(scratch)), sep="\n")


if __name__ == "__main__":
    main()
