"""The prompts for a data set: its own if it has some, else the paper's."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from loguru import logger

from lmms_eval_tasks.pairbench import prompts
from lmms_eval_tasks.pairbench.pairs import TRUTH, Kind, Logistics, Pairs, Truth, warn_once
from lmms_eval_tasks.pairbench.ratings import Condition
from lmms_eval_tasks.pairbench.splits import canonical_feature
from pairbench_ext.core import sources
from pairbench_ext.core.records import RecordError, from_mapping
from pairbench_ext.core.sources import EVERYTHING_USABLE, LeftOut, SourceError

CONFIG = "templates"
_CONDITION_KEYS = {"inv": "inv", "insens": "inv", "sens": "sens", "var": "sens"}  # beginnings
# Where simple backends put the images, the prompt cannot say: with it is true wherever they are.
_PLACES = (
    (re.compile(r"\bfollow(s?) this prompt\b"), r"come\1 with this prompt"),
    (re.compile(r"\b(provided|given|shown) below\b"), r"\1 with this prompt"),
)
# `"data1" "data2"` as the paper prints it, also with braces or without quotes, and a full stop.
_SLOTS = re.compile(
    r"""\s* ["\u201c]? \{? \b(data|image|img)_?1\b \}? ["\u201d]? (?: \s | , | and )*
        ["\u201c]? \{? \b\1_?2\b \}? ["\u201d]? \s* \.?""",
    re.IGNORECASE | re.VERBOSE,
)
_LEFT_OVER = re.compile(
    r"\b data_?[12] \b | \{ (?! conditions \} ) \w+ \}", re.IGNORECASE | re.VERBOSE
)


@dataclass(frozen=True)
class PromptSet:
    """Templates, conditions and pairs of one config.

    Attributes:
        origin: "data" if the data set brings its templates, "built-in" if they are the paper's.
        templates: texts with `{conditions}` and, at the end, the slots of the two data.
        conditions: condition text by feature, then "sens" or "inv".
        pairs: the column pairs to compare as the data set's logistics list them; None if unsaid.
        kinds: the kind of each of these pairs where the logistics say so; None if unsaid.
        asked_under: for each of these pairs the one condition that it is asked under, or None for
            both; None if all are asked under both.
        truth: ground truth by kind and condition: the paper's, or that of the data set's own study.
    """

    origin: str
    templates: tuple[str, ...]
    conditions: Mapping[str, Mapping[str, str]]
    pairs: Pairs | None = None
    kinds: tuple[Kind, ...] | None = None
    asked_under: tuple[Condition | None, ...] | None = None
    truth: Truth = field(default_factory=lambda: TRUTH)

    def render(self, template: int, features: Sequence[str], condition: str) -> tuple[str, str]:
        """Return the text before and after the two data of a pair, with conditions as items.

        Punctuation that only closes the slots is dropped, so the second text is mostly empty.

        Raises:
            SourceError: if no condition is known for one of the features.
        """
        lines = [line.strip() for line in self._lines(features, condition)]
        listed = "\n".join(line if line.startswith("-") else f"- {line}" for line in lines)
        # Split before filling in: a condition may contain anything, the slots are the template's.
        head, _, tail = _SLOTS.sub("\0", self.templates[template], count=1).partition("\0")
        before, after = (part.replace("{conditions}", listed).strip() for part in (head, tail))
        return before, after

    def filled(self, template: int, features: Sequence[str], condition: str) -> str:
        """Return a template as the authors' notebook sends it: only the conditions are filled in.

        The slots of the data stay in it, as words. The notebook knows one condition at a time;
        several are on lines of their own.

        Raises:
            SourceError: if no condition is known for one of the features.
        """
        lines = self._lines(features, condition)
        if self.origin != "data":  # the paper prints conditions as items
            lines = [f"- {line}" for line in lines]
        return self.templates[template].replace("{conditions}", "\n".join(lines))

    def _lines(self, features: Sequence[str], condition: str) -> list[str]:
        missing = [name for name in features if condition not in self.conditions.get(name, {})]
        if missing:
            raise SourceError(
                f"no {condition!r} condition for {missing[0]!r} in the {self.origin} prompts, "
                f"only for {sorted(self.conditions)}"
            )
        return [self.conditions[name][condition] for name in features]


def wherever(prompt: str) -> str:
    """Return a prompt for backends that put images first: it does not say that the data follow.

    >>> wherever("The text and image will follow this prompt.")
    'The text and image will come with this prompt.'
    """
    for place, instead in _PLACES:
        prompt = place.sub(instead, prompt)
    return prompt


def built_in(*, image_text: bool) -> PromptSet:
    """Return the paper's prompts (Appendix D.3) for image-image or image-text pairs."""
    if image_text:
        return PromptSet("built-in", prompts.IMAGE_TEXT_TEMPLATES, prompts.IMAGE_TEXT_CONDITIONS)
    return PromptSet("built-in", prompts.IMAGE_IMAGE_TEMPLATES, prompts.IMAGE_IMAGE_CONDITIONS)


def load(
    data: str,
    config: str,
    *,
    image_text: bool,
    warn: bool = True,
    left_out: LeftOut = EVERYTHING_USABLE,
) -> PromptSet:
    """Return the prompts of `config` in `data`: its own (config `templates`), else the paper's.

    Raises:
        SourceError: if there is a `templates` config, but its conditions or its logistics cannot be
            used. Where none of its templates can, the paper's are asked, and a warning says so.
    """
    row = _find_row(data, config)
    if row is None:
        if warn:
            logger.warning(
                f"{data} has no config {CONFIG!r}, or no row for {config!r} in it. So {config!r} "
                "is asked with the package's prompts. Their templates are the paper's, but the "
                "paper does not print all their conditions"
            )
        return built_in(image_text=image_text)
    where = f"config {CONFIG!r} of {data!r}, row {config!r}"
    origin = "data"
    try:
        templates, broken = _templates(_json(row, "query_templates", where), where)
    except SourceError as error:
        warn_once(f"{error}; {config!r} is asked with the built-in templates")
        origin, templates, broken = "built-in", built_in(image_text=image_text).templates, LeftOut()
    left_out.extend(broken)
    logistics = _json(row, "logistics", where) if row.get("logistics") else {}
    logistics = logistics if isinstance(logistics, dict) else {}
    names = {"pairs": "data-pairs", "kinds": "pair-kinds", "truth": "truth"}
    names["asked_under"] = "pair-conditions"
    given = {field: logistics.get(name) for field, name in names.items()}
    try:
        parsed = from_mapping(Logistics, given, where)
    except RecordError as error:
        raise SourceError(str(error)) from error
    conditions = _conditions(_json(row, "query_conditions", where), where)
    listed = parsed.pairs, parsed.kinds, parsed.asked_under
    return PromptSet(origin, templates, conditions, *listed, parsed.truth)


def _templates(templates: Any, where: str) -> tuple[tuple[str, ...], LeftOut]:
    texts = list(templates.values()) if isinstance(templates, dict) else templates
    if not (isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts)):
        raise SourceError(f"{where}: 'query_templates' must be JSON strings, not {texts!r:.80}")
    usable, broken = [], LeftOut()
    for number, text in enumerate(texts, start=1):
        with broken.unless_usable():
            _check_template(text, f"{where}: template {number}")
            usable.append(_unescaped(text))
    if not usable:
        raise SourceError(broken[0])
    return tuple(usable), broken


def _unescaped(text: str) -> str:
    """Return the template with single braces for `{{` and `}}`, as the notebook's `format` does."""
    try:
        return text.format(conditions="{conditions}")
    except (KeyError, IndexError, ValueError):  # the notebook cannot send it
        return text


def with_conditions(prompts: PromptSet, features: Sequence[str], *, image_text: bool) -> PromptSet:
    """Return the prompts, with the paper's conditions for the features that they lack.

    Raises:
        SourceError: if there is none for a feature either way.
    """
    conditions, papers = prompts.conditions, built_in(image_text=image_text).conditions
    lacking = [name for name in features if not {"sens", "inv"} <= set(conditions.get(name, ()))]
    if not lacking:
        return prompts
    filled = {name: {**papers.get(name, {}), **conditions.get(name, {})} for name in lacking}
    completed = replace(prompts, conditions={**conditions, **filled})
    for condition in ("sens", "inv"):
        completed.render(0, features, condition)
    warn_once(
        f"the data's prompts have no conditions for {', '.join(lacking)}, only for "
        f"{sorted(conditions)}: those of the paper are asked"
    )
    return completed


def _find_row(data: str, config: str) -> Mapping[str, Any] | None:
    if not sources.has_config(data, CONFIG):
        return None
    rows = [
        (dict(row), split)
        for split in sources.split_names(data, CONFIG)
        for row in sources.open_split(data, CONFIG, split)
    ]
    named = [row for row, split in rows if is_row_of(config, row, split)]
    meant = [r for r, s in rows if _meaning(config) in {_meaning(x) for x in (s, *r.values())}]
    return named[0] if named else meant[0] if len(meant) == 1 else None


def _meaning(name: Any) -> str:
    """Return a config's name in our spelling: "wu_img_img" for "WhatsUp_image-image"."""
    text = re.sub(r"[^0-9a-z]+", "", str(name).lower())
    return text.replace("whatsup", "wu").replace("image", "img").replace("imgnet", "in")


def is_row_of(config: str, row: Mapping[str, Any], split: str) -> bool:
    """Return whether a row of the config `templates` holds the prompts of `config`."""
    return split == config or config in row.values()


def _check_template(text: str, where: str) -> None:
    """Refuse a template without its placeholders: it would ask the same whatever the condition."""
    if text.count("{conditions}") != 1:
        raise SourceError(f"{where} must hold {{conditions}} once, but is {text!r:.80}")
    left_over = _LEFT_OVER.search(_SLOTS.sub("", text, count=1))
    if left_over:
        raise SourceError(
            f"{where} must show data1 and data2 side by side and hold no other placeholder than "
            f"{{conditions}}, but has {left_over[0]!r} in {text!r:.80}"
        )


def _json(row: Mapping[str, Any], column: str, where: str) -> Any:
    value = row.get(column)
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except json.JSONDecodeError as error:
        raise SourceError(f"{where}: {column!r} is not JSON ({error})") from error


def _conditions(raw: Any, where: str) -> dict[str, dict[str, str]]:
    """Return conditions by feature and by "sens" or "inv", from any of the JSON's spellings."""
    if not isinstance(raw, dict):
        raise SourceError(
            f"{where}: 'query_conditions' must map features to texts, not {raw!r:.80}"
        )
    return {
        canonical_feature(name) or name: {
            condition: text
            for key, text in (texts if isinstance(texts, dict) else {}).items()
            for beginning, condition in _CONDITION_KEYS.items()
            if key.lower().startswith(beginning) and isinstance(text, str) and text.strip()
        }
        for name, texts in raw.items()
    }
