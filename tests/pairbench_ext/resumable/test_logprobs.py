"""Log probabilities behind replies: of real architectures, tiny and random, and of a server."""

import json
import math
import os

import pytest

from pairbench_ext.resumable.model import Resumable
from tests.checkpoints import (
    make_gemma3,
    make_llava_onevision,
    make_qwen2_5_vl,
    make_qwen2_vl,
    make_qwen3_vl,
)
from tests.checkpoints_hf import make_idefics2, make_internvl
from tests.endpoints import FINAL, Endpoint
from tests.evaluations import shared
from tests.judges import evaluate

TASK = "pairbench_demo_rotate"
PLACES = "device=cpu,device_map=cpu"


def digits(folder, *, tens=False):
    """A checkpoint that replies with digits; with `tens`, 10 is not unlikely."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoTokenizer

    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
    tokens = AutoTokenizer.from_pretrained(folder).convert_tokens_to_ids(list("0123456789"))
    head = model.get_output_embeddings().weight.data
    head.zero_()
    head[tokens] = 0.7 * torch.randn(10, head.shape[1], generator=torch.Generator().manual_seed(0))
    if tens:  # what follows a 1, which is likely where 2 is
        head[tokens[1]] = 0.8 * head[tokens[2]]
        with torch.inference_mode():
            state = model(torch.tensor([tokens[1:2]]), output_hidden_states=True).hidden_states[-1][
                0, -1
            ]
        head[tokens[0]] = 30 * state / state.dot(state)
    model.save_pretrained(folder)
    return folder


def asked(base, folder, task_manager, *, size, limit=12, tokens=1, extra="", journal=None):
    where = f",journal={journal}" if journal else ""
    arguments = f"base={base},distributions=true,pretrained={folder},{PLACES}{extra}{where}"
    judge = Resumable.create_from_arg_string(arguments, {"batch_size": size})
    settings = {"limit": limit, "gen_kwargs": f"max_new_tokens={tokens}"}
    results = evaluate(judge, TASK, task_manager, **settings)
    samples = sorted(results["samples"][TASK], key=lambda sample: sample["doc_id"])
    return judge, [sample["trial"]["distribution"] for sample in samples]


def next_token(model, inputs, more=()):
    """The probabilities of the next token, from the model itself, after further tokens."""
    import torch

    given = {k: v for k, v in inputs.items() if torch.is_tensor(v)}
    shape = given["input_ids"].shape
    for name, value in given.items():
        if value.shape == shape and more:
            last = torch.tensor([more]) if name == "input_ids" else value[:, -1:] * 0
            if name == "attention_mask":
                last = last + 1
            given[name] = torch.cat([value, last], dim=1)
    with torch.inference_mode():
        return model(**given).logits[0, -1].float().softmax(-1)


def test_rows_of_batches_are_those_of_the_model_and_10_is_asked_by_its_prefix(
    tmp_path, task_manager, monkeypatch
):
    from transformers import AutoTokenizer, GenerationMixin

    folder, extra = digits(make_qwen2_5_vl(tmp_path / "m"), tens=True), ",min_pixels=784"
    judge, batched = asked("qwen2_5_vl", folder, task_manager, size=4, extra=extra)
    assert not judge._asker.listener.alone
    kept, generate = [], GenerationMixin.generate

    def keeping(model, **inputs):
        kept.append((model, dict(inputs)))
        return generate(model, **inputs)

    monkeypatch.setattr(GenerationMixin, "generate", keeping)
    _, alone = asked("qwen2_5_vl", folder, task_manager, size=1, limit=2, extra=extra)
    model, given = kept[0]
    tokens = AutoTokenizer.from_pretrained(folder).convert_tokens_to_ids(list("0123456789"))
    assert batched[1]["answers"] == pytest.approx(alone[1]["answers"], abs=1e-4)
    first = next_token(model, given)
    second = next_token(model, given, [tokens[1]])
    expected = {str(n): float(first[tokens[n]]) for n in range(2, 10)}
    expected["10"] = float(first[tokens[1]] * second[tokens[0]])
    for answer, share in expected.items():
        if share > 5e-3:  # what else there is, is less likely than 50 other tokens
            assert alone[0]["answers"][answer] == pytest.approx(share, abs=1e-5)
    assert expected["10"] > 1e-3  # 1 and then 0, which no reply wrote
    assert alone[0]["answers"]["10"] == pytest.approx(expected["10"], abs=1e-5)
    assert batched[0]["answers"] == pytest.approx(alone[0]["answers"], abs=1e-4)


@pytest.mark.parametrize(
    ("base", "make", "size", "extra"),
    [
        ("qwen3_vl", make_qwen3_vl, 4, ",min_pixels=1024"),
        ("llava_hf", make_llava_onevision, 1, ""),
        ("gemma3", make_gemma3, 4, ""),
        ("internvl_hf", make_internvl, 1, ""),  # which takes no batches
    ],
)
def test_other_architectures(base, make, size, extra, tmp_path, task_manager):
    judge, found = asked(
        base, digits(make(tmp_path / "m")), task_manager, size=size, limit=6, extra=extra
    )
    assert not judge._asker.listener.alone
    read = [each for each in found if "answers" in each]  # "0" is no rating
    assert read
    assert all(0 < sum(each["answers"].values()) <= 1 for each in read)
    assert {each["source"] for each in read} == {"logits of the model"}


@pytest.mark.parametrize(
    ("base", "make", "extra"),
    [("qwen2_vl", make_qwen2_vl, ",min_pixels=784"), ("idefics2", make_idefics2, ",dtype=float32")],
)
def test_a_backend_whose_batches_are_wrong_is_asked_one_by_one(
    base, make, extra, tmp_path, task_manager, said
):
    folder, journal = digits(make(tmp_path / "m")), tmp_path / "journal"
    settings = {"extra": extra, "limit": 6}
    judge, found = asked(base, folder, task_manager, size=4, journal=journal, **settings)
    assert judge._asker.listener.alone
    assert sum("asked one by one" in message for message in said) == 1
    _, alone = asked(base, folder, task_manager, size=1, **settings)
    assert found == alone
    again, reused = asked(base, folder, task_manager, size=4, journal=journal, **settings)
    assert reused == found  # from the journal
    assert not again._asker.listener.known


def entry(text, log, **more):
    return {"token": text, "logprob": log, **more}


def likely(*shares):
    return [entry(text, math.log(share)) for text, share in shares]


BESIDE = (("8", 0.6), ("7", 0.2), ("the", 0.2))
END = entry("<|im_end|>", 0.0, bytes=None, top_logprobs=None)
THUMB = list("\N{THUMBS UP SIGN}".encode())
# What servers give in the place of tokens with their alternatives: of the reply's beginning, of 8.
ODD_TOKENS = {
    "splits tokens": (likely(("Sc", 1.0), ("ore", 1.0), (":", 1.0), (" ", 1.0)), likely(*BESIDE)),
    "joins tokens": ([], likely(*((f"Score: {text}/10", p) for text, p in BESIDE))),
    "writes BPE": (likely(("Score:", 1.0)), likely(*((f"\u0120{t}", p) for t, p in BESIDE))),
    "splits characters": (
        likely(("\ufffd", 1.0), ("\ufffd", 1.0), (" Score: ", 1.0)), likely(*BESIDE),
    ),
    "gives bytes": (
        [
            entry("bytes:\\xf0\\x9f", 0.0, bytes=THUMB[:2]),
            entry("?", 0.0, bytes=THUMB[2:]),
            *likely((" Score: ", 1.0)),
        ],
        [entry("?", math.log(p), bytes=list(text.encode())) for text, p in BESIDE],
    ),
    "has no chance": (
        likely(("Score: ", 1.0)),
        [*likely(*BESIDE), entry("9", -9999.0), entry("6", None), entry("5", -math.inf)],
    ),
    "gives NaN": (likely(("Score: ", 1.0)), [entry("8", math.nan), *likely(*BESIDE[1:])]),
    "gives shares": (likely(("Score: ", 1.0)), [entry(text, p) for text, p in BESIDE]),
}  # fmt: skip


def answering(fault=""):
    """A server's answer, with what goes wrong."""
    before, beside = ODD_TOKENS.get(fault, (likely(("Score: ", 1.0)), likely(*BESIDE)))
    if fault == "is cut off":
        beside = likely(("8", 0.1), ("the", 0.5), ("a", 0.4))

    def answer(_):
        body = endpoint.requests[-1][2]
        tokens = body.get("top_logprobs")
        if "fails at first" in fault and len(endpoint.requests) <= 3:
            return 400, FINAL
        if fault == "one replica forbids" and tokens and len(endpoint.requests) == 3:
            return 400, FINAL
        if ("refuses" in fault and tokens) or (fault == "allows 5" and tokens and tokens > 5):
            return 400, FINAL
        if fault == "forbids" and "logprobs" in body:  # as the o-series
            return 403, FINAL
        content = [{"top_logprobs": [each], **each} for each in before]
        content += [{**beside[0], "top_logprobs": beside}, END]
        logprobs = {"content": content} if tokens and fault != "ignores it" else None
        thumb = "\N{THUMBS UP SIGN} " * (fault in ("splits characters", "gives bytes"))
        said = "Score: 8/10" if fault == "joins tokens" else f"{thumb}Score: 8"
        message = {"role": "assistant", "content": said}
        if fault == "only reasons":
            message = {"role": "assistant", "content": None, "reasoning_content": "Score: 8?"}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": logprobs}
        reply = {"id": "1", "object": "chat.completion", "created": 0, "model": "m"}
        return json.dumps({**reply, "choices": [choice]}).encode()

    endpoint = Endpoint(answer)
    return endpoint


def served(fault, task_manager, limit, base="openai", more=""):
    """The coverage and the distributions by a server with a fault, and what it was sent."""
    name = "model" if base == "async_openai" else "model_version"
    with answering(fault) as server:
        arguments = f"base={base},distributions=true,base_url={server.url},api_key=x,{name}=m"
        judge = Resumable.create_from_arg_string(f"{arguments},max_retries=1{more}", {})
        results = evaluate(judge, TASK, task_manager, limit=limit)
        bodies = [body for *_, body in server.requests]
    found = [sample["trial"].get("distribution", {}) for sample in results["samples"][TASK]]
    return results["results"][TASK]["coverage,none"], found, bodies


NONE = "there are none for the first reply"
FAULTS = [
    ("", "", ""),
    ("allows 5", "", ""),
    ("refuses", NONE, "the server refuses"),
    ("forbids", NONE, "the server refuses"),
    ("ignores it", NONE, "no log probabilities in the reply"),
    ("is cut off", "too few tokens to include every answer", ""),
    ("gives NaN", NONE, "log probabilities are not valid"),
    ("gives shares", NONE, "log probabilities are not valid"),
]


@pytest.mark.parametrize(
    ("base", "fault", "told", "none"),
    [
        *(("async_openai", *fault) for fault in FAULTS[:5:2]),
        *(("openai", *fault) for fault in FAULTS),
        *(("openai", fault, "", "") for fault in [*ODD_TOKENS][:-2]),
    ],
)
def test_servers_and_their_faults(base, fault, told, none, task_manager, said):
    more = ",num_cpus=2" if base == "async_openai" else ",num_concurrent=2"
    coverage, found, bodies = served(fault, task_manager, 6, base, more)
    assert coverage == 1  # words count all the same
    heard = [message for message in said if "answer probabilities:" in message]
    assert sum(told in message for message in heard) == bool(told)
    assert [none in each.get("none", "") for each in found] == [True] * 6
    if none:
        refused = fault in ("refuses", "forbids")
        assert bodies[-1].get("top_logprobs") == (None if refused else 20)
    else:
        first = 0.1 if fault == "is cut off" else 0.6
        assert [each["answers"]["8"] for each in found] == pytest.approx([first] * 6)
        assert {*found[0]["answers"]} == {"8"} | ({"7"} if first == 0.6 else set())
        tokens = 5 if fault == "allows 5" else 20
        assert {each["source"] for each in found} == {f"{tokens} top_logprobs of m"}
    more = {"refuses": 2, "forbids": 2, "allows 5": 1}.get(fault, 0)  # at the first alone
    assert len(bodies) == 6 + more


@pytest.mark.parametrize("fault", ["fails at first", "fails at first, refuses"])
def test_a_first_request_that_fails_by_itself_says_nothing_of_the_server(fault, task_manager):
    coverage, found, _ = served(fault, task_manager, 3)
    assert coverage == pytest.approx(2 / 3)
    refused = "refuses" in fault
    assert sum("answers" in each for each in found) == (0 if refused else 2)
    assert sum("refuses" in each.get("none", "") for each in found) == (2 if refused else 0)


def test_a_model_that_only_reasons_has_no_distribution(task_manager, said):
    coverage, found, _ = served("only reasons", task_manager, 3)
    assert (coverage, any(found)) == (0, False)
    assert any("no answer came" in message for message in said)


def test_two_ranks_listen_as_one_does(tmp_path, task_manager):
    folder, log = digits(make_qwen2_5_vl(tmp_path / "m")), tmp_path / "log"
    log.touch()
    job = {"folder": str(tmp_path), "environment": {**os.environ}, "log": str(log)}
    arguments = ["qwen2_5_vl", str(folder), str(tmp_path / "out")]
    pids = shared().start(2, arguments=arguments, call="tests.logprobs_on_ranks:main", **job)
    assert shared()._statuses(pids) == [0, 0], log.read_text()
    of_two = json.loads((tmp_path / "out").read_text())
    assert [number for number, _ in of_two] == list(range(7))
    _, alone = asked("qwen2_5_vl", folder, task_manager, size=2, limit=7, extra=",min_pixels=784")
    for (_, found), expected in zip(of_two, alone, strict=True):
        assert found["source"] == expected["source"] == "logits of the model"
        assert found["answers"] == pytest.approx(expected["answers"], abs=1e-4)


def test_a_replica_that_refuses_log_probabilities_later_costs_a_distribution_alone(task_manager):
    more = ",num_concurrent=1"
    coverage, found, bodies = served("one replica forbids", task_manager, 6, more=more)
    assert (coverage, len(bodies)) == (1, 7)
    assert sum("answers" in each for each in found) == 5
    assert sum("refused log probabilities" in each.get("none", "") for each in found) == 1
