"""PairBench: can a model be trusted to compare two images, or an image and a text?

Every pair is rated from 1 to 10 under two conditions (be sensitive to a change, be invariant to it) and in both orders.
Definitions are those of Section 2.2 of the paper. Templates, conditions and pairs are the hub's (config "templates").
"""

import hashlib
import itertools
import json
import math
import re
from functools import lru_cache
from typing import Any, Dict, List, Optional, Tuple

import datasets
import numpy as np
from loguru import logger as eval_logger
from scipy.stats import kendalltau

PAIRBENCH_REPO = "feiziaarash/pairbench"

# Section 2.1: what a pair should be rated, from 1 to 10.
TRUTH = {
    "identical": {"sens": 10, "inv": 10},
    "transformed": {"sens": 6, "inv": 10},
    "irrelevant": {"sens": 1, "inv": 1},
}
KINDS = {"img1": "identical", "img2": "identical", "img3": "transformed", "img4": "irrelevant"}
CONDITION_KEYS = {"sens": "variant", "inv": "invariant"}

# What a split's name, and the name of a condition in the templates, say of a change.
FEATURES = {"spatial": "spatial|pos", "colorjitter": "color", "rotate": "rotat", "gaussianblur": "blur", "perspective": "perspective", "elastic": "elastic"}

# Where a template shows the two data: `"data1" "data2"`, with or without quotes, braces and a full stop.
SLOTS = re.compile(r"""\s*"?\{?(?:data|img|image)_?1\}?"?\s*(?:,|and)?\s*"?\{?(?:data|img|image)_?2\}?"?\s*\.?""", re.IGNORECASE)

SCORE = re.compile(r"\bscore[*_`]*[:：][*_`\s<]*(-?[0-9]+(?:\.[0-9]+)?)(?:[*_`>]*\s*\(?(?:/|out of)[*_`<\s]*10\b\)?)?", re.IGNORECASE)
REASON = re.compile(r"\breason[*_`]*[:：]", re.IGNORECASE)

METRICS = ("mmscore", "sens", "inv", "relaxsym_eps1", "relaxsym_eps0", "smoothness", "controllability")


@lru_cache(maxsize=None)
def _prompts(config: str) -> Tuple[Tuple[str, ...], Dict[str, Dict[str, str]], List[List[str]]]:
    """The templates of a config, its conditions by feature, and the pairs of columns that are compared."""
    splits = datasets.load_dataset(PAIRBENCH_REPO, "templates")
    rows = [row for split in splits.values() for row in split if config in row.values()]
    if not rows:
        raise ValueError(f'{PAIRBENCH_REPO}: no row of the config "templates" names "{config}"')
    templates, conditions, logistics = (json.loads(rows[0][name]) for name in ("query_templates", "query_conditions", "logistics"))
    templates = templates.values() if isinstance(templates, dict) else templates
    conditions = {feature: texts for name, texts in conditions.items() for feature, pattern in FEATURES.items() if re.search(pattern, name)}
    return tuple(templates), conditions, logistics.get("data-pairs") or [["img1", column] for column in ("img2", "img3", "img4")]


def _kinds(pairs: List[List[str]]) -> List[str]:
    """What each pair is. WhatsUp has four pairs per row (Table 9), in this order, the first being img1 with itself."""
    if len(pairs) == 4 and pairs[0][0] == pairs[0][1]:
        return ["identical", "transformed", "transformed", "irrelevant"]
    return [KINDS[second if first == "img1" else first] for first, second in pairs]


def _draw(levels: int, *key: Any) -> int:
    """One of range(levels) by the key alone: the same on every rank and for every --limit."""
    return int.from_bytes(hashlib.blake2b(repr((0, *key)).encode(), digest_size=8).digest(), "big") % levels


def _render(template: str, conditions: Dict[str, Dict[str, str]], features: List[str], condition: str) -> Tuple[str, str]:
    """The texts before and after the two data."""
    lines = [conditions[feature][CONDITION_KEYS[condition]].strip() for feature in features]
    listed = "\n".join(line if line.startswith("-") else f"- {line}" for line in lines)
    before, _, after = SLOTS.sub("\0", template, count=1).partition("\0")
    return before.replace("{conditions}", listed).strip(), after.replace("{conditions}", listed).strip()


def pairbench_process_docs(dataset: datasets.Dataset) -> datasets.Dataset:
    """One document per pair, condition and order, those of a row next to each other. No image is copied.

    A template is drawn per row and pair; both conditions and orders share it (Section D.1).
    """
    config, split, rows = dataset.config_name, str(dataset.split), len(dataset)
    templates, conditions, pairs = _prompts(config)
    features = [feature for feature, pattern in FEATURES.items() if re.search(pattern, split)]
    if not features or not set(features) <= set(conditions):
        raise ValueError(f'{PAIRBENCH_REPO}, config "{config}", split "{split}": its changes are {features}, the templates have conditions for {list(conditions)}')
    columns = {column for pair in pairs for column in pair}
    if not columns <= set(dataset.column_names):
        raise ValueError(f'{PAIRBENCH_REPO}, config "{config}", split "{split}": no columns {sorted(columns - set(dataset.column_names))}')
    copies = []
    for number, ((first, second), kind) in enumerate(zip(pairs, _kinds(pairs))):
        drawn = [_draw(len(templates), f"pairbench/{config}/{split}", "template", row, number) for row in range(rows)]
        for condition, order in itertools.product(("sens", "inv"), ("fwd", "rev")):
            texts = [_render(templates[template], conditions, features, condition) for template in drawn]
            fields = {
                "row": list(range(rows)),
                "pair": [number] * rows,
                "kind": [kind] * rows,
                "condition": [condition] * rows,
                "order": [order] * rows,
                "first": [first if order == "fwd" else second] * rows,
                "second": [second if order == "fwd" else first] * rows,
                "template": drawn,
                "before": [before for before, _ in texts],
                "after": [after for _, after in texts],
                "truth": [TRUTH[kind][condition]] * rows,
            }
            copies.append(datasets.concatenate_datasets([dataset, datasets.Dataset.from_dict(fields)], axis=1))
    return datasets.concatenate_datasets(copies).select([copy * rows + row for row in range(rows) for copy in range(len(copies))])


def pairbench_doc_to_visual(doc: Dict[str, Any]) -> List[Any]:
    shown = (doc[doc["first"]], doc[doc["second"]])
    return [image.convert("RGB") for image in shown if not isinstance(image, str)]


def pairbench_doc_to_text(doc: Dict[str, Any], lmms_eval_specific_kwargs: Optional[Dict[str, Any]] = None) -> str:
    """The prompt for backends that put the images where they want."""
    data = (doc.get(doc["first"]), doc.get(doc["second"]))
    captions = [f'"{text}"' for text in data if isinstance(text, str)]
    return "\n\n".join(text for text in (doc["before"], *captions, doc["after"]) if text)


def pairbench_doc_to_messages(doc: Dict[str, Any], lmms_eval_specific_kwargs: Optional[Dict[str, Any]] = None) -> List[Dict[str, Any]]:
    """The prompt, then the two data in their order, as the paper prints it."""
    data = [f'"{part}"' if isinstance(part, str) else part.convert("RGB") for part in (doc[doc["first"]], doc[doc["second"]])]
    parts = [part for part in (doc["before"], *data, doc["after"]) if part != ""]
    last = max(place for place, part in enumerate(parts) if isinstance(part, str))
    content = []
    for place, part in enumerate(parts):
        if isinstance(part, str):
            # Chat templates put nothing between two texts.
            content.append({"type": "text", "text": part if place == last else f"{part}\n\n"})
        else:
            content.append({"type": "image", "url": part})
    return [{"role": "user", "content": content}]


def parse_rating(reply: str) -> Optional[float]:
    """The number from 1 to 10 after the last "Score:" before the reason; None for anything else, which is counted and never guessed."""
    scores = list(SCORE.finditer(reply))
    if not scores:
        return None
    reason = REASON.search(reply, scores[0].end())
    end = reason.start() if reason else len(reply)
    last = [score for score in scores if score.start() < end][-1]
    # "8 or 9", "7-8", "85%", "8th", "8/5": not one plain number.
    rest = reply[last.end() : end].partition("\n")[0]
    plain = not re.match(r"[^\W_]", rest) and not re.search(r"[\d%]", rest)
    return float(last.group(1)) if plain and 1 <= float(last.group(1)) <= 10 else None


def pairbench_process_results(doc: Dict[str, Any], results: List[str]) -> Dict[str, Dict[str, Any]]:
    record = {name: doc[name] for name in ("row", "pair", "kind", "condition", "order", "template", "truth")}
    record["rating"] = parse_rating(results[0])
    return {**{f"pairbench_{metric}": record for metric in METRICS}, "pairbench_coverage": {**record, "score": int(record["rating"] is not None)}}


def _mmscore(results: List[Dict[str, Any]], condition: str) -> float:
    """Kendall's tau-b of ratings and truths; an unreadable rating is -1. NaN if all ratings are equal."""
    part = [result for result in results if result["condition"] == condition]
    return float(kendalltau([-1 if result["rating"] is None else result["rating"] for result in part], [result["truth"] for result in part])[0])


def _entropy(results: List[Dict[str, Any]], condition: str) -> float:
    ratings = [result["rating"] for result in results if result["condition"] == condition and result["rating"] is not None]
    shares = np.unique(ratings, return_counts=True)[1] / max(len(ratings), 1)
    return float(-(shares * np.log(shares)).sum()) if ratings else math.nan


def _relaxsym(results: List[Dict[str, Any]], eps: float) -> float:
    """Share of pairs whose ratings in the two orders differ by at most eps; an unreadable rating makes a pair asymmetric."""
    ratings: Dict[Tuple[Any, ...], List[Optional[float]]] = {}
    for result in results:
        ratings.setdefault((result["row"], result["pair"], result["condition"]), []).append(result["rating"])
    both = [values for values in ratings.values() if len(values) == 2]
    # 8.3 and 7.3 differ by 1, but not in binary.
    alike = [None not in values and abs(values[0] - values[1]) <= eps + 1e-9 for values in both]
    return float(np.mean(alike)) if alike else math.nan


def pairbench_aggregate_sens(results: List[Dict[str, Any]]) -> float:
    return _mmscore(results, "sens")


def pairbench_aggregate_inv(results: List[Dict[str, Any]]) -> float:
    return _mmscore(results, "inv")


def pairbench_aggregate_mmscore(results: List[Dict[str, Any]]) -> float:
    return (_mmscore(results, "sens") + _mmscore(results, "inv")) / 2


def pairbench_aggregate_controllability(results: List[Dict[str, Any]]) -> float:
    """How alike the MMScores of the two conditions are; NaN unless both are positive."""
    sens, inv = _mmscore(results, "sens"), _mmscore(results, "inv")
    return 1 - abs(sens - inv) / math.sqrt(sens * inv) if sens > 0 and inv > 0 else math.nan


def pairbench_aggregate_relaxsym_eps1(results: List[Dict[str, Any]]) -> float:
    return _relaxsym(results, 1)


def pairbench_aggregate_relaxsym_eps0(results: List[Dict[str, Any]]) -> float:
    return _relaxsym(results, 0)


def pairbench_aggregate_smoothness(results: List[Dict[str, Any]]) -> float:
    """Entropy in nats of the readable ratings, the mean over the conditions."""
    return (_entropy(results, "sens") + _entropy(results, "inv")) / 2


def pairbench_aggregate_coverage(results: List[Dict[str, Any]]) -> float:
    """Share of the ratings that can be read."""
    return float(np.mean([result["rating"] is not None for result in results]))


def pairbench_aggregate_group(values: List[float], sizes: List[int], weight_by_size: bool) -> float:
    """A group's number: the unweighted mean over its leaves. A leaf where it is undefined is left out, and a warning says so."""
    defined = [value for value in values if not math.isnan(value)]
    if 0 < len(defined) < len(values):
        eval_logger.warning(f"PairBench: a group's number is the mean over {len(defined)} of {len(values)} tasks; in the others it is undefined (NaN)")
    return float(np.mean(defined)) if defined else math.nan
