"""Declare the benchmark Best of N: how good are the answers that a judge picks?

Paper: "VL-RewardBench: A Challenging Benchmark for Vision-Language Generative Reward Models",
Section 3.3. A file gives each question N candidate answers with their scores. The judge compares
two at a time, and the task reports the mean score of the answers that it picks.

    BEST_OF_N_DATA=candidates.jsonl lmms-eval --model qwen2_5_vl --tasks best_of_n
    pairbench score best_of_n samples_best_of_n.jsonl
"""

from typing import Any

from lmms_eval_tasks.best_of_n.contests import OFFERED, read
from lmms_eval_tasks.best_of_n.numbers import NUMBERS, remarks
from lmms_eval_tasks.best_of_n.picking import KNOCKOUT
from lmms_eval_tasks.best_of_n.trials import trials
from lmms_eval_tasks.preference.prompts import ASKS
from lmms_eval_tasks.preference.votes import GRAMMAR
from pairbench_ext.core.benchmark import Benchmark, Decoding, PlainRows, Reader, Task
from pairbench_ext.harness import task_functions

_GREEDY = Decoding("greedy", 2048)
_PICKS = "a judge picks the best of N candidates"
_ALONE = f"{_PICKS} by knockout, on any backend"
_BATCHES = f"{_PICKS} by knockout, with requests in batches (--model resumable)"
_TASKS: tuple[tuple[Any, ...], ...] = (
    ("best_of_n", {}, f"{_PICKS}, all pairs compared in random orders, greedy decoding"),
    (
        "best_of_n_both",
        {"orders": "both"},
        f"{_PICKS}, all pairs compared in both orders, greedy decoding",
    ),
    ("best_of_n_knockout", {"method": KNOCKOUT}, _ALONE, "one_by_one"),
    ("best_of_n_knockout_rounds", {"method": KNOCKOUT}, _BATCHES, "conversation"),
)

BENCHMARK = Benchmark(
    name="best_of_n",
    title="Best of N",
    trials=trials,
    read=Reader(OFFERED, read, GRAMMAR, asks=ASKS),
    numbers=NUMBERS,
    remarks=remarks,
    headline="vote_accuracy",
    main_numbers=("round_robin", "vote_accuracy"),
    plain=PlainRows(
        "Plain rows are JSON lines with the fields `question`, `worth`, `pair`, `order`, `repeat` "
        "and `response`. `worth` lists the score of each candidate: a number from 0 to 1, or true "
        "or false. `pair` holds the numbers i < j of two candidates, counted from 0. `order` is "
        '"fwd" if candidate i is shown first, else "rev". If candidates have the same text, add '
        "the field `alike`. It gives, for each candidate, the number of the first candidate with "
        "the same text. Two candidates with the same text tie, so their pair has no row. If "
        "you read replies by another rule than in the run, a knockout may need comparisons that "
        "the run did not make. Questions with such knockouts are left out, and their "
        "number is printed."
    ),
    tasks=tuple(
        Task(name, {**entry, "greedy": True}, about, _GREEDY, *protocol)
        for name, entry, about, *protocol in _TASKS
    ),
)

__getattr__ = task_functions(BENCHMARK)
