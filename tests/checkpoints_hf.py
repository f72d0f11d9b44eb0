"""More tiny checkpoints (`tests.checkpoints`): InternVL as transformers has it, and Idefics2."""

from tests.checkpoints import (
    END,
    PATCH,
    TURN_END,
    TURN_START,
    _byte_tokenizer,
    _chat_template,
    _saved,
    _text_config,
    _tokenizer_with,
)

SIDE = 2 * PATCH  # pixels of an image, as the encoders see it


def make_internvl(folder):
    """Write an `InternVLForConditionalGeneration` checkpoint and its processor to `folder`."""
    import transformers as hf

    names = {
        "start_image": "<img>", "end_image": "</img>", "context_image": "<IMG_CONTEXT>",
        "video": "<video>",
    }  # fmt: skip
    tokenizer = _tokenizer_with(names)
    image = names["context_image"]
    config = hf.InternVLConfig(
        text_config={"model_type": "qwen2", **_text_config(tokenizer)},
        vision_config={
            "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
            "num_attention_heads": 2, "image_size": SIDE, "patch_size": PATCH,
        },
        image_token_id=tokenizer.convert_tokens_to_ids(image),
        image_seq_length=1,
    )  # fmt: skip
    size = {"height": SIDE, "width": SIDE}
    processor = hf.InternVLProcessor(
        image_processor=hf.GotOcr2ImageProcessor(size=size),
        tokenizer=tokenizer,
        video_processor=hf.InternVLVideoProcessor(size=size),
        image_seq_length=1,
        chat_template=_chat_template(image),
    )
    return _saved(folder, hf.InternVLForConditionalGeneration(config), processor)


def make_idefics2(folder):
    """Write an `Idefics2ForConditionalGeneration` checkpoint and its processor to `folder`."""
    import transformers as hf

    special = ("<fake_token_around_image>", "<image>", "<end_of_utterance>")
    tokenizer = _byte_tokenizer((END, TURN_START, TURN_END, *special))
    text_config = _text_config(tokenizer)
    config = hf.Idefics2Config(
        text_config={"model_type": "mistral", **text_config, "head_dim": 16},
        vision_config={
            "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
            "num_attention_heads": 2, "image_size": SIDE, "patch_size": PATCH,
        },
        perceiver_config={
            "hidden_size": text_config["hidden_size"], "resampler_n_latents": 4,
            "resampler_depth": 1, "resampler_n_heads": 2, "resampler_head_dim": 16,
            "num_key_value_heads": 1,
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    processor = hf.Idefics2Processor(
        image_processor=hf.Idefics2ImageProcessor(
            size={"shortest_edge": SIDE, "longest_edge": SIDE}, do_image_splitting=False
        ),
        tokenizer=tokenizer,
        image_seq_len=4,
        chat_template=_chat_template("<image>"),
    )
    return _saved(folder, hf.Idefics2ForConditionalGeneration(config), processor)
