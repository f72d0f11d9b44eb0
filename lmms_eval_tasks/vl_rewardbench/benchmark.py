"""The declaration of the benchmark VL-RewardBench: data, tasks and metrics.

A model sees an image, a question and two answers, and says which answer is better: K times, each
time in a newly drawn order. Data: `MMInstruction/VL-RewardBench` on the hub.

    lmms-eval --model qwen2_5_vl --tasks vl_rewardbench_k5
    pairbench score vl_rewardbench samples_vl_rewardbench_k5.jsonl
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.numbers import K_OPTION, breakdowns, numbers, pools, remarks
from lmms_eval_tasks.preference.prompts import ASKS, TABLE_18, render
from lmms_eval_tasks.preference.trials import Pair, PreferenceEntry, PreferenceTrials, in_order
from lmms_eval_tasks.preference.votes import Grouping, votes_by, votes_by_authors
from lmms_eval_tasks.vl_rewardbench.authors import plain_rows
from lmms_eval_tasks.vl_rewardbench.groups import BY_TAG, GROUPING, misnamed, unknown_sources
from lmms_eval_tasks.vl_rewardbench.pointwise import POINTWISE
from lmms_eval_tasks.vl_rewardbench.prompts import ASKS_PAIR, CRITIC_PAIRWISE, TABLE_19
from lmms_eval_tasks.vl_rewardbench.published import PUBLISHED
from lmms_eval_tasks.vl_rewardbench.rows import PairRows
from lmms_eval_tasks.vl_rewardbench.stock import STOCK
from pairbench_ext.core.benchmark import Benchmark, Decoding, Number, OutcomeTable, PlainRows, Task
from pairbench_ext.core.items import Source
from pairbench_ext.core.records import Record
from pairbench_ext.core.requests import Request, Trial
from pairbench_ext.core.texts import counted, listed
from pairbench_ext.harness import task_functions


@dataclass(frozen=True)
class VoteEntry(PreferenceEntry):
    """The settings of a VL-RewardBench task: those of `PreferenceEntry`, and the prompt variant.

    Attributes:
        variant: "paper" shows the image, then Table 18; "authors" sends what their code does;
            "ground_truth" shows Table 19, of the pairs that have a right answer; "critic" shows the
            template of LLaVA-Critic for two answers.
    """

    variant: Literal["paper", "authors", "ground_truth", "critic"] = "paper"


class VoteTrials(PairRows, PreferenceTrials):
    """The trials in which a judge compares the two answers of a VL-RewardBench pair."""

    entry_type: ClassVar[type[Any]] = VoteEntry

    def keep(self, item: Pair) -> bool:
        """Return whether to ask about a pair; variant "ground_truth" needs a known right answer."""
        return self.entry.variant != "ground_truth" or item.ground_truth != ""

    def describe_item(self, item: Pair, request: Trial) -> dict[str, Any]:
        """Return the fields of a pair that scoring needs, and "critic" if that prompt is used."""
        fields = super().describe_item(item, request)
        return {**fields, "variant": "critic"} if self.entry.variant == "critic" else fields

    def show(self, item: Pair, trial: Trial) -> Request:
        """Return the request: image, question, answers; variant "authors" puts the image last."""
        answers = in_order(item.responses, trial["order"])
        picture = self.rows.picture(trial["row"], item.images[0])
        if self.entry.variant == "authors":  # their template begins with a space
            return Request((f" {render(item.query, answers)}", picture))
        template = _TEMPLATES[self.entry.variant]
        text = template.format(query=item.query, answers=answers, ground_truth=item.ground_truth)
        return Request((picture, text))


_TEMPLATES = {"paper": TABLE_18, "ground_truth": TABLE_19, "critic": CRITIC_PAIRWISE}


def _overall_by_authors(table: OutcomeTable) -> float:
    return accuracy.overall(votes_by_authors(table)).statistic.estimate()


def _macro_by_authors(table: OutcomeTable) -> float:
    return accuracy.macro(votes_by_authors(table), grouping=GROUPING).statistic.estimate()


def _remarks(table: OutcomeTable) -> Iterator[str]:
    yield from remarks(table)
    if unknown := unknown_sources(table):
        yield (
            "the paper does not have these sources, so their items count as general: "
            f"{listed(unknown, 3)}"
        )
    if wrong := misnamed(table):
        yield (
            f"{counted(len(wrong), 'id', 'has')} the name of a source in place of a prefix that "
            f"the authors' code knows: {listed(wrong, 3)}. So these items count as vlfeedback, in "
            "the group general. Known prefixes: RLAIF-V-, RLHF-V-, hallucination_pair- (POVID), "
            "mathverse_, mmmu_, wildvision-battle-"
        )


_AUTHORS = "replies read and accuracy counted by the authors' rules, for Table 2"
_TOKENS = 2048  # the authors' code; the paper does not say
_SAMPLED = Decoding("sampled", _TOKENS, 0.2, 0.2, "The paper's decoding (Section 3.2).")
_GREEDY = Decoding("greedy", _TOKENS)
_BOTH = {"orders": "both"}
_DRAWN = "votes in random orders"
_DEMO = "30 pairs on the package's photographs"
_TRUTH = (
    "with the right answer in the prompt (Table 19); only pairs that have one; both orders, greedy"
)
_CRITIC = f"K = 5 {_DRAWN}, LLaVA-Critic's template for two answers, greedy"

_SAMPLED_TASKS: dict[str, tuple[dict[str, Any], str]] = {
    "k1": ({"k": 1}, "one vote in a random order, temperature and top-p 0.2"),
    "k5": ({"k": 5}, f"K = 5 {_DRAWN}, temperature and top-p 0.2: the paper's setting"),
    "k9": ({"k": 9}, f"K = 9 {_DRAWN}: accuracy by K (Figure 5b)"),
    "authors": (
        {"k": 5, "variant": "authors"},
        "K = 5 votes, with the authors' prompt: the text, then the image",
    ),
    "demo": ({"k": 5, "data": "demo"}, f"{_DEMO}, K = 5 {_DRAWN}"),
}
_GREEDY_TASKS: dict[str, tuple[dict[str, Any], str]] = {
    "k5_greedy": ({"k": 5}, f"K = 5 {_DRAWN}, greedy: one request for each order"),
    "both": (_BOTH, "both orders, greedy: the cheapest setting without position bias"),
    "ground_truth": ({**_BOTH, "variant": "ground_truth"}, _TRUTH),
    "critic": ({"k": 5, "variant": "critic"}, _CRITIC),
    "demo_both": ({**_BOTH, "data": "demo"}, f"{_DEMO}, both orders, greedy"),
}
TASKS = (
    *(Task(f"vl_rewardbench_{end}", *task, _SAMPLED) for end, task in _SAMPLED_TASKS.items()),
    *(
        Task(f"vl_rewardbench_{end}", {**entry, "greedy": True}, about, _GREEDY)
        for end, (entry, about) in _GREEDY_TASKS.items()
    ),
)

BENCHMARK = Benchmark(
    name="vl_rewardbench",
    title="VL-RewardBench",
    trials=VoteTrials,
    read=votes_by(asks=lambda trial: ASKS_PAIR if trial.get("variant") == "critic" else ASKS),
    numbers=(
        *numbers(GROUPING),
        Number("overall_accuracy_authors", "overall", _overall_by_authors, section=_AUTHORS),
        Number("macro_accuracy_authors", "macro", _macro_by_authors, section=_AUTHORS),
    ),
    breakdowns=(*breakdowns(GROUPING), BY_TAG),
    remarks=_remarks,
    stock=(STOCK,),
    published=PUBLISHED,
    headline="vote_accuracy",
    main_numbers=("overall_accuracy", "vote_accuracy"),
    pools=pools(),
    options=(K_OPTION,),
    plain=PlainRows(
        "Plain rows are JSON lines with the fields `item`, `source`, `repeat`, `order`, `truth` "
        'and `response`. `order` is "fwd" if answer 0 is shown first, else "rev". `truth` is 0 or '
        "1 (the better answer). Optional fields: `longer`, 0 or 1 (the answer with more words), "
        "and `tag`, the type of error in the worse answer. Logs of the authors' code are read, "
        "too.",
        plain_rows,
    ),
    tasks=TASKS,
)


class OwnTrials(VoteTrials):
    """The trials in which a judge compares the answers of pairs from a user's own data."""

    name = "preference"
    grouping = Grouping((), str)
    source = Source(
        variable="VL_REWARDBENCH_DATA",
        how="`pairbench build preference` makes a folder of your own pairs.",
    )

    def read(self, record: Record) -> Pair:
        """Return the pair in a row; its source is the row's `query_source`."""
        return super().read(record)._replace(source=record.text("query_source"))


OWN = Benchmark(
    name="preference",
    title="Custom preferences",
    trials=OwnTrials,
    read=votes_by(),
    numbers=numbers(OwnTrials.grouping),
    breakdowns=(*breakdowns(OwnTrials.grouping), BY_TAG),
    remarks=remarks,
    headline="vote_accuracy",
    main_numbers=("overall_accuracy", "vote_accuracy"),
    pools=pools(),
    options=(K_OPTION,),
    tasks=(
        Task(
            "preference_custom",
            {"k": 5},
            f"your own pairs (from pairbench build preference), K = 5 {_DRAWN}",
            _SAMPLED,
        ),
    ),
)

BENCHMARKS = (BENCHMARK, POINTWISE, OWN)

__getattr__ = task_functions(*BENCHMARKS)
