"""Tiny vision-language checkpoints with random weights, for end-to-end runs without a network.

Each `make_*` function writes a folder that the real loaders read: config, weights, tokenizer, chat
template and processor, less than 1 MB in all, so that a harness model of the same name
(`qwen2_5_vl`, `llava_hf`) runs on a CPU with `pretrained=<folder>`. Nothing is downloaded.

The reply to a prompt is gibberish, but it is the same gibberish each time (greedy decoding), it
nearly always changes with the images, the text and their order, and it is printable ASCII that
never stops early: one character per generated token. Videos are not supported.
"""

import math

PATCH = 14  # pixels: the patch size of the real models, and the one that qwen_vl_utils assumes
QWEN3_PATCH = 16  # pixels
LLAVA_TILE = 4 * PATCH  # pixels: the side of the square that LLaVA-OneVision's encoder sees
ATTENTION_GAIN = 3.0  # at 1, every second reply stays the same when the two images are swapped

END = "<|endoftext|>"
TURN_START = "<|im_start|>"
TURN_END = "<|im_end|>"

QWEN_IMAGE = "<|image_pad|>"
QWEN_VIDEO = "<|video_pad|>"
QWEN_VISION_START = "<|vision_start|>"
QWEN_VISION_END = "<|vision_end|>"
QWEN_IMAGE_PROMPT = f"{QWEN_VISION_START}{QWEN_IMAGE}{QWEN_VISION_END}"
QWEN_SPECIAL = (
    END, TURN_START, TURN_END, QWEN_VISION_START, QWEN_VISION_END, QWEN_IMAGE, QWEN_VIDEO,
)  # fmt: skip

LLAVA_IMAGE = "<image>"
LLAVA_VIDEO = "<video>"
LLAVA_SPECIAL = (END, TURN_START, TURN_END, LLAVA_IMAGE, LLAVA_VIDEO)


def make_qwen2_5_vl(folder):
    """Write a `Qwen2_5_VLForConditionalGeneration` checkpoint and its processor to `folder`.

    The harness's `qwen2_5_vl` upsizes every image to `min_pixels` (256 tokens) unless told
    otherwise: pass `min_pixels=784` along with `device=cpu,device_map=cpu`.
    """
    import transformers as hf

    tokenizer, text_config = _qwen2_text()
    config = hf.Qwen2_5_VLConfig(
        text_config=text_config,
        vision_config={**_qwen_vision(text_config, PATCH), "fullatt_block_indexes": [1]},
        **_qwen_tokens(tokenizer),
    )
    processor = _qwen_processor(hf.Qwen2_5_VLProcessor, hf.Qwen2VLVideoProcessor, tokenizer, PATCH)
    return _saved(folder, hf.Qwen2_5_VLForConditionalGeneration(config), processor)


def make_qwen3_vl(folder):
    """Write a `Qwen3VLForConditionalGeneration` checkpoint and its processor to `folder`.

    The harness's `qwen3_vl` runs it with `device=cpu,device_map=cpu,min_pixels=1024`.
    """
    import transformers as hf

    tokenizer = _byte_tokenizer(QWEN_SPECIAL)
    text_config = _text_config(tokenizer)
    text_config["head_dim"] = 16
    text_config["rope_parameters"] = {
        "rope_type": "default", "rope_theta": 5e6, "mrope_section": [4, 2, 2],
        "mrope_interleaved": True,
    }  # fmt: skip
    config = hf.Qwen3VLConfig(
        text_config=text_config,
        vision_config={
            **_qwen_vision(text_config, QWEN3_PATCH),
            "num_position_embeddings": 16,
            "deepstack_visual_indexes": [0],
        },
        **_qwen_tokens(tokenizer),
    )
    processor = _qwen_processor(
        hf.Qwen3VLProcessor, hf.Qwen3VLVideoProcessor, tokenizer, QWEN3_PATCH
    )
    return _saved(folder, hf.Qwen3VLForConditionalGeneration(config), processor)


def make_qwen2_vl(folder):
    """Write a `Qwen2VLForConditionalGeneration` checkpoint and its processor to `folder`."""
    import transformers as hf

    tokenizer, text_config = _qwen2_text()
    vision = {
        "depth": 2, "embed_dim": 16, "num_heads": 2, "mlp_ratio": 2, "patch_size": PATCH,
        "hidden_size": text_config["hidden_size"],
    }  # fmt: skip
    config = hf.Qwen2VLConfig(
        text_config=text_config, vision_config=vision, **_qwen_tokens(tokenizer)
    )
    processor = _qwen_processor(hf.Qwen2VLProcessor, hf.Qwen2VLVideoProcessor, tokenizer, PATCH)
    return _saved(folder, hf.Qwen2VLForConditionalGeneration(config), processor)


def make_gemma3(folder):
    """Write a `Gemma3ForConditionalGeneration` checkpoint and its processor to `folder`."""
    import transformers as hf

    names = {"boi": "<start_of_image>", "eoi": "<end_of_image>", "image": "<image_soft_token>"}
    tokenizer = _tokenizer_with(names)
    boi, eoi, image = map(tokenizer.convert_tokens_to_ids, names.values())
    config = hf.Gemma3Config(
        text_config={
            **_text_config(tokenizer), "head_dim": 16, "layer_types": ["full_attention"] * 2,
        },
        vision_config={
            "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
            "num_attention_heads": 2, "image_size": 2 * PATCH, "patch_size": PATCH,
            "vision_use_head": False,
        },
        mm_tokens_per_image=4,
        boi_token_index=boi,
        eoi_token_index=eoi,
        image_token_index=image,
    )  # fmt: skip
    processor = hf.Gemma3Processor(
        image_processor=hf.Gemma3ImageProcessor(size={"height": 2 * PATCH, "width": 2 * PATCH}),
        tokenizer=tokenizer,
        image_seq_length=4,
        chat_template=_chat_template(names["boi"]),
    )
    return _saved(folder, hf.Gemma3ForConditionalGeneration(config), processor)


def make_llava_onevision(folder, *, images_first=False):
    """Write a `LlavaOnevisionForConditionalGeneration` checkpoint and its processor to `folder`.

    The harness's `llava_hf` runs it with `device=cpu,device_map=cpu`.
    """
    import transformers as hf

    tokenizer = _byte_tokenizer(LLAVA_SPECIAL)
    tile = {"height": LLAVA_TILE, "width": LLAVA_TILE}
    # One tile, two of them side by side or stacked, or four: enough for the tiling code to work.
    grids = [[LLAVA_TILE * rows, LLAVA_TILE * columns] for rows in (1, 2) for columns in (1, 2)]
    config = hf.LlavaOnevisionConfig(
        text_config={"model_type": "qwen2", **_text_config(tokenizer)},
        vision_config={
            "model_type": "siglip_vision_model", "num_hidden_layers": 2, "hidden_size": 16,
            "intermediate_size": 32, "num_attention_heads": 2, "image_size": LLAVA_TILE,
            "patch_size": PATCH, "vision_use_head": False,
        },
        image_token_index=tokenizer.convert_tokens_to_ids(LLAVA_IMAGE),
        video_token_index=tokenizer.convert_tokens_to_ids(LLAVA_VIDEO),
        image_grid_pinpoints=grids,
    )  # fmt: skip
    processor = hf.LlavaOnevisionProcessor(
        image_processor=hf.LlavaOnevisionImageProcessor(size=tile, image_grid_pinpoints=grids),
        tokenizer=tokenizer,
        video_processor=hf.LlavaOnevisionVideoProcessor(size=tile),
        num_image_tokens=(LLAVA_TILE // PATCH) ** 2,
        vision_feature_select_strategy="full",
        chat_template=_chat_template(LLAVA_IMAGE, images_first=images_first),
        image_token=LLAVA_IMAGE,
        video_token=LLAVA_VIDEO,
    )
    return _saved(folder, hf.LlavaOnevisionForConditionalGeneration(config), processor)


def _qwen2_text():
    """The tokenizer and the language model's settings of Qwen2-VL and Qwen2.5-VL."""
    tokenizer = _byte_tokenizer(QWEN_SPECIAL)
    # The rotary half-head of 8 channels, split into time, height and width.
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]}
    return tokenizer, {**_text_config(tokenizer), "rope_parameters": rope}


def _qwen_vision(text_config, patch):
    """What the vision towers of both generations have."""
    return {
        "depth": 2, "hidden_size": 16, "intermediate_size": 32, "num_heads": 2,
        "out_hidden_size": text_config["hidden_size"], "patch_size": patch,
    }  # fmt: skip


def _qwen_processor(processor, video_processor, tokenizer, patch):
    """The processor of either generation."""
    import transformers as hf

    return processor(
        image_processor=hf.Qwen2VLImageProcessor(patch_size=patch),
        tokenizer=tokenizer,
        video_processor=video_processor(patch_size=patch),
        chat_template=_chat_template(QWEN_IMAGE_PROMPT),
    )


def _qwen_tokens(tokenizer):
    tokens = {
        "image_token_id": QWEN_IMAGE,
        "video_token_id": QWEN_VIDEO,
        "vision_start_token_id": QWEN_VISION_START,
        "vision_end_token_id": QWEN_VISION_END,
    }
    return {name: tokenizer.convert_tokens_to_ids(token) for name, token in tokens.items()}


def _saved(folder, model, processor):
    """The folder, with a model whose weights are drawn, and its processor."""
    _seed_weights(model, processor.tokenizer)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _byte_tokenizer(special):
    """A byte-level BPE without merges: one token per UTF-8 byte, then the special tokens."""
    import transformers as hf
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())  # unsorted, it changes between runs
    vocabulary = {token: index for index, token in enumerate((*alphabet, *special))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    return hf.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=TURN_END,
        pad_token=END,
        additional_special_tokens=[token for token in special if token not in (TURN_END, END)],
        clean_up_tokenization_spaces=False,
    )


def _tokenizer_with(names):
    """The same, with special tokens that a processor looks up by their names."""
    import transformers as hf

    return hf.PreTrainedTokenizerFast(
        tokenizer_object=_byte_tokenizer((END, TURN_START, TURN_END, *names.values()))._tokenizer,
        eos_token=TURN_END,
        pad_token=END,
        clean_up_tokenization_spaces=False,
        extra_special_tokens={f"{name}_token": token for name, token in names.items()},
    )


def _chat_template(image, *, images_first=False):
    """ChatML in Jinja: a turn is a string, or entries rendered in the order in which they stand.

    Args:
        image: What an image entry becomes.
        images_first: Put a turn's images before its texts, as published templates do.
    """
    entries = "message['content']"
    if images_first:
        images, texts = (
            f"({entries} | selectattr('type', 'equalto', '{kind}') | list)"
            for kind in ("image", "text")
        )
        entries = f"{images} + {texts}"
    return (
        "{% for message in messages %}"
        f"{{{{ '{TURN_START}' + message['role'] + '\\n' }}}}"
        "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
        f"{{% for entry in {entries} %}}"
        "{% if entry['type'] == 'text' %}{{ entry['text'] }}"
        f"{{% elif entry['type'] == 'image' %}}{{{{ '{image}' }}}}"
        "{% endif %}{% endfor %}{% endif %}"
        f"{{{{ '{TURN_END}\\n' }}}}{{% endfor %}}"
        f"{{% if add_generation_prompt %}}{{{{ '{TURN_START}assistant\\n' }}}}{{% endif %}}"
    )


def _text_config(tokenizer):
    """The language model of both: two layers of two heads of 16 channels."""
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 2, "num_key_value_heads": 1, "tie_word_embeddings": False,
        "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }  # fmt: skip


def _seed_weights(model, tokenizer):
    """Draw every parameter anew, whatever the library's own initialization does.

    Matrices are scaled by their fan-in, attention by `ATTENTION_GAIN` on top of it: at the
    library's 0.02, a model this narrow replies to its last token and ignores the prompt. Output
    rows of all but printable ASCII are zero, so that the others outbid them.
    """
    import torch

    embeddings = {
        id(module.weight) for module in model.modules() if isinstance(module, torch.nn.Embedding)
    }
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            if parameter.ndim > 1:
                fan_in = 1 if id(parameter) in embeddings else math.prod(parameter.shape[1:])
                gain = ATTENTION_GAIN if ".self_attn." in name else 1.0
                parameter.normal_(std=gain / math.sqrt(fan_in), generator=generator)
            elif name.endswith("bias"):
                parameter.zero_()
            else:
                parameter.fill_(1)
        printable = set(tokenizer.convert_tokens_to_ids([chr(code) for code in range(33, 127)]))
        output = model.get_output_embeddings().weight
        output[[row for row in range(len(output)) if row not in printable]] = 0
