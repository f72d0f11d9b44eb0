"""Inference engines that remember what they are asked: modules `vllm` and `sglang` without a model.

They take what the engines' own interfaces take and refuse anything else, so that the harness's own
backends run as they are. A reply is `answer(parts)`: the parts of the prompt, texts and pictures,
in the order in which they are shown.
"""

import base64
import io
import re
import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace

import pytest
from PIL import Image

BACKENDS = ("simple.vllm", "chat.vllm", "chat.vllm_generate", "chat.sglang")
_PICTURE = "<|vision_start|><|image_pad|><|vision_end|>"  # in the templates of `checkpoints`
_TURN = re.compile(
    r"(?:<\|im_start\|>system\n(.*)<\|im_end\|>\n)?"
    r"<\|im_start\|>user\n(.*)<\|im_end\|>\n<\|im_start\|>assistant\n",
    re.S,
)


@dataclass(frozen=True)
class Picture:
    """A picture as an engine or server gets it."""

    size: tuple
    pixels: bytes = field(repr=False)
    format: str = field(default="", compare=False)

    @classmethod
    def of(cls, image, kind="object"):
        image_format = getattr(image, "format", "") if kind == "url" else kind
        return cls(image.size, image.convert("RGB").tobytes(), image_format)


@dataclass(frozen=True)
class System:
    """A system prompt."""

    text: str


def parts_of(messages):
    """The texts and pictures of one user turn of OpenAI's messages, after a system prompt."""
    *system, message = messages
    assert [one["role"] for one in messages] == ["system"] * len(system) + ["user"]
    found = [System(part["text"]) for one in system for part in one["content"]]
    for part in message["content"]:
        if part["type"] == "text":
            assert set(part) == {"type", "text"}
            found.append(part["text"])
        else:
            assert set(part) == {"type", "image_url"}
            header, _, data = part["image_url"]["url"].partition(",")
            image = Image.open(io.BytesIO(base64.b64decode(data)))
            assert header == f"data:image/{image.format.lower()};base64"
            found.append(Picture.of(image, "url"))
    return found


def parts_of_prompt(prompt, images):
    """The same of a prompt that a chat template made, and the pictures for its slots."""
    system, turn = _TURN.fullmatch(prompt).groups()
    texts = turn.split(_PICTURE)
    images = list(images or [])
    assert len(texts) == len(images) + 1
    shown = [*([] if system is None else [System(system)]), texts[0]]
    for image, text in zip(images, texts[1:], strict=True):
        shown += [Picture.of(image), text]
    return [part for part in shown if part != ""]


class Engine:
    """What was asked, call by call: (parts, settings) of each request.

    Attributes:
        built: what the engine was built from.
        calls: a list for each call.
    """

    def __init__(self, answer):
        self.answer = answer
        self.built = {}
        self.calls = []

    @property
    def requests(self):
        return [request for call in self.calls for request in call]

    def reply(self, shown, settings):
        assert len(shown) == len(settings)
        self.calls.append(list(zip(shown, settings, strict=True)))
        return [self.answer(parts) for parts in shown]


@dataclass
class SamplingParams:
    """vLLM's own, as far as its documentation lists settings of sampling; unknown ones fail."""

    n: int = 1
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repetition_penalty: float = 1.0
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    seed: int | None = None
    stop: list | None = None
    max_tokens: int | None = 16

    def __post_init__(self):
        assert 0 < self.top_p <= 1
        assert self.temperature >= 0
        assert self.max_tokens >= 1


def _vllm(engine):
    class LLM:
        def __init__(self, model, **options):
            engine.built = {"model": model, **options}

        def chat(self, messages, sampling_params=None, *, use_tqdm=True, chat_template=None):
            shown = [parts_of(one) for one in messages]
            return self._outputs(shown, sampling_params)

        def generate(self, prompts, sampling_params=None, *, use_tqdm=True):
            shown = [
                parts_of_prompt(one["prompt"], one["multi_modal_data"].get("image"))
                for one in prompts
            ]
            return self._outputs(shown, sampling_params)

        def get_metrics(self):
            return []

        def _outputs(self, shown, params):
            params = params if isinstance(params, list) else [params] * len(shown)
            replies = engine.reply(shown, [vars(one) for one in params])
            return [SimpleNamespace(outputs=[SimpleNamespace(text=reply)]) for reply in replies]

    return {"vllm": {"LLM": LLM, "SamplingParams": SamplingParams}}


def _sglang(engine):
    class Engine:
        def __init__(self, **options):
            engine.built = options

        def generate(self, prompt=None, sampling_params=None, image_data=None, video_data=None):
            assert video_data is None
            images = image_data or [[] for _ in prompt]
            shown = [parts_of_prompt(*one) for one in zip(prompt, images, strict=True)]
            replies = engine.reply(shown, sampling_params)
            return [{"text": one, "meta_info": {"completion_tokens": 1}} for one in replies]

    return {
        "sglang": {"Engine": Engine},
        "sglang.srt": {},
        "sglang.srt.function_call": {},
        "sglang.srt.function_call.function_call_parser": {"FunctionCallParser": object},
        "sglang.srt.entrypoints": {},
        "sglang.srt.entrypoints.openai": {},
        "sglang.srt.entrypoints.openai.protocol": {"Tool": object},
    }


def install(patch: pytest.MonkeyPatch, answer):
    """Put both engines where the harness imports them; its backends are imported anew."""
    engine = Engine(answer)
    for name, contents in {**_vllm(engine), **_sglang(engine)}.items():
        module = ModuleType(name)
        vars(module).update(contents, __path__=[])
        patch.setitem(sys.modules, name, module)
    import lmms_eval.models.chat
    import lmms_eval.models.simple

    for name in BACKENDS:
        patch.delitem(sys.modules, f"lmms_eval.models.{name}", raising=False)
        package, _, module = name.partition(".")
        patch.delattr(getattr(lmms_eval.models, package), module, raising=False)
    return engine


def forget(patch: pytest.MonkeyPatch):
    """Undo `install`, with what was imported since."""
    for name in BACKENDS:
        sys.modules.pop(f"lmms_eval.models.{name}", None)
    patch.undo()
