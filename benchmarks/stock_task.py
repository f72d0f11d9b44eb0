"""`python -m benchmarks.stock_task`: the stock vl_rewardbench and ours, with the same judges.

Judges that reply by rule judge the 30 demo pairs through both tasks. The stock task asks once, in
an order that follows from the lengths of the answers; what its pattern cannot read it sends to an
API and, if that does not help, it tosses a coin. Its score is the mean over the three groups, the
other columns are over all pairs. Here the API is a server in this process that
never helps and counts how often it was asked.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.common import Line, markdown, use_caches_in
from lmms_eval_tasks.preference.votes import word_count

ENDPOINT = "/v1/chat/completions"
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


class _Counter(BaseHTTPRequestHandler):
    """An endpoint that cannot tell either."""

    asked = 0

    def do_POST(self) -> None:
        type(self).asked += 1
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"choices": [{"message": {"content": "unclear"}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing."""


def _judge(rule: Rule) -> Any:
    from benchmarks.answering import Answering

    class Judge(Answering):
        def answer(self, text: str, *_: Any) -> str:
            return rule(*_answers(text))

    return Judge()


def _answers(prompt: str) -> tuple[str, str]:
    """The two answers of a prompt; both tasks print them alike."""
    first, rest = prompt.split("\n\nAnswer 1: ")[1].split("\n\nAnswer 2: ")
    return first, rest.split("\n\nPlease evaluate both answers")[0]


def run(tasks: Sequence[str], rule: Rule, manager: Any) -> dict[str, dict[str, float]]:
    """Task -> number -> value, for one judge."""
    from lmms_eval import evaluator

    found = evaluator.simple_evaluate(
        model=_judge(rule),
        tasks=list(tasks),
        task_manager=manager,
        cli_args=SimpleNamespace(process_with_media=False, reasoning_tags=None, model=None),
        bootstrap_iters=0,
        log_samples=False,
    )["results"]
    return {
        task: {key.split(",")[0]: value for key, value in found[task].items() if "," in key}
        for task in tasks
    }


@contextmanager
def helpless_api() -> Iterator[None]:
    """While it lasts, the stock task's API is a server here that does not help."""
    server = HTTPServer(("127.0.0.1", 0), _Counter)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ |= {  # read when the stock task is loaded
        "API_TYPE": "openai",
        "OPENAI_API_KEY": "unused",
        "OPENAI_API_URL": f"http://127.0.0.1:{server.server_port}{ENDPOINT}",
    }
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def compare(folder: Path, only: Sequence[str] = ()) -> list[Line]:
    """One line per judge, all or some by name: stock score, coin tosses, then ours."""
    import lmms_eval.tasks

    from lmms_eval_tasks.vl_rewardbench.demo import demo_preferences, read_preferences
    from pairbench_ext.harness.plugin import tasks_dir

    stock = Path(lmms_eval.tasks.__file__).parent / "vl_rewardbench" / "vl_rewardbench.yaml"
    (folder / "stock_demo.yaml").write_text(
        f"include: {stock}\ntask: stock_demo\ndataset_path: {demo_preferences()}\n"
        "dataset_kwargs: {}\n"
    )
    manager = lmms_eval.tasks.TaskManager(
        include_defaults=False, include_path=[str(folder), str(tasks_dir())]
    )
    better = {pair["response"][pair["human_ranking"].index(0)] for pair in read_preferences()}
    lines = []
    for name, rule in judges(better).items():
        if only and name not in only:
            continue
        before = _Counter.asked
        found = run(
            ("stock_demo", "vl_rewardbench_demo", "vl_rewardbench_demo_both"), rule, manager
        )
        k5, both = found["vl_rewardbench_demo"], found["vl_rewardbench_demo_both"]
        stock_score = _text(found["stock_demo"]["vlreward_score"])
        lines.append(
            {
                "judge": name,
                "stock score": stock_score,
                "of 30 by API or coin": str(_Counter.asked - before),
                "K = 5: decided": _text(k5["overall_accuracy"]),
                "K = 5: strict": _text(k5["overall_accuracy_strict"]),
                "both: strict": _text(both["overall_accuracy_strict"]),
                "both: per vote": _text(both["vote_accuracy"]),
                "both: same winner": _text(both["position_consistency"]),
                "both: says first": _text(both["first_position_rate"]),
                "both: coverage": _text(both["coverage"]),
            }
        )
    return lines


def _text(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def main() -> None:
    """Print the table as Markdown."""
    with tempfile.TemporaryDirectory(prefix="stock-task-") as scratch, helpless_api():
        use_caches_in(Path(scratch))
        import lmms_eval.evaluator  # noqa: F401  (its import sets the log up)
        from loguru import logger

        logger.remove()  # the stock task warns of every coin that it tosses
        lines = compare(Path(scratch))
    print(*markdown(lines), sep="\n")


if __name__ == "__main__":
    main()
