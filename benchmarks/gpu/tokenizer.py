"""A tokenizer learnt from this repository's own pages, and a chat template.

It splits English about as published ones do, so that prompts are about as long; its vocabulary is
smaller. A model keeps the published number of embeddings, of which the rest is never used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_ROOT = Path(__file__).parents[2]
_PAGES = ("*.md", "docs/*.md", "lmms_eval_tasks/*/README.md", "lmms_eval_tasks/pairbench/*.py")
_LEARNT = 8_000  # tokens

END, TURN_START, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"


def learn(special: tuple[str, ...], *, tiny: bool) -> PreTrainedTokenizerFast:
    """A byte-level BPE; its end of text and end of turn are the last tokens but other marks.

    Args:
        special: marks of the model that stand for no text.
        tiny: learn nothing: one token per byte.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=len(alphabet) if tiny else _LEARNT,
        initial_alphabet=alphabet,
        show_progress=False,
    )
    pages = [] if tiny else [str(page) for glob in _PAGES for page in sorted(_ROOT.glob(glob))]
    tokenizer.train(pages, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=TURN_END,
        pad_token=END,
        additional_special_tokens=[TURN_START, *special],
        clean_up_tokenization_spaces=False,
    )


def chat_template(image: str) -> str:
    """ChatML; an image entry becomes `image`."""
    return (
        "{% for message in messages %}"
        f"{{{{ '{TURN_START}' + message['role'] + '\\n' }}}}"
        "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
        "{% for entry in message['content'] %}"
        "{% if entry['type'] == 'text' %}{{ entry['text'] }}"
        f"{{% elif entry['type'] == 'image' %}}{{{{ '{image}' }}}}"
        "{% endif %}{% endfor %}{% endif %}"
        f"{{{{ '{TURN_END}\\n' }}}}{{% endfor %}}"
        f"{{% if add_generation_prompt %}}{{{{ '{TURN_START}assistant\\n' }}}}{{% endif %}}"
    )
