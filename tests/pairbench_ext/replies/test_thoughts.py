import pytest

from pairbench_ext.replies.thoughts import strip_thinking


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        pytest.param("Score: 8", "Score: 8", id="no thought"),
        pytest.param("<think>a</think>b", "b", id="block"),
        pytest.param("a<think>b</think>c<think>d</think>e", "ace", id="blocks"),
        pytest.param("a</think>b", "b", id="opened in the prompt"),
        pytest.param("a</think>b<think>c</think>d", "bd", id="opened in the prompt, and a block"),
        pytest.param("a<think>b", "a", id="cut"),
        pytest.param("a<think>b<think>c</think>d", "ad", id="opened twice"),
        pytest.param("", "", id="empty"),
        pytest.param("a<|im_end|><|im_start|>user\nb", "a<|im_end|>", id="goes on as a user"),
        pytest.param("a<start_of_turn>user\nb<start_of_turn>model\nc", "a", id="and answers"),
        pytest.param("<|user|>a<|assistant|>b<|user|>c", "b", id="begins with the prompt"),
        pytest.param("<|im_start|>user\n8", "\n8", id="a prompt that nobody answers"),
        pytest.param(
            "<|im_start|>user\na</think><|im_start|>assistant\nb</think>c", "c", id="both"
        ),
    ],
)
def test_strip_thinking(reply, kept):
    assert strip_thinking(reply) == kept


@pytest.mark.parametrize("tag", ["<think>", "</think>", "<|im_start|>user\n"])
def test_many_tags_are_no_problem(tag):
    assert not strip_thinking(tag * 100_000).replace(tag, "").strip()
