import pytest

from pairbench_ext.show.figures.style import short_names, wrapped


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["a_b"], ["a_b"]),
        (["a_b", "a_b"], ["a_b", "a_b"]),
        (["x_demo", "x_demo_both"], ["demo", "demo_both"]),
        (["m_1/t_k5", "m_2/t_k5"], ["1", "2"]),
        (["m/t_k5", "n/t_k5", "m/t_k1"], ["m/k5", "n/k5", "m/k1"]),
        (["a/run/t", "b/run/t"], ["a", "b"]),
        (["a/t", "t"], ["a/t", "t"]),
    ],
)
def test_names_lose_only_what_all_share(names, short):
    assert short_names(names) == short


@pytest.mark.parametrize("width", [1, 8, 100])
@pytest.mark.parametrize("name", ["", "-", "Qwen__Qwen2.5-VL-7B/k5", "x" * 50, "a b-" * 9])
def test_wrapping_loses_no_character(name, width):
    lines = wrapped(name, width).split("\n")
    assert "".join(lines) == name
    separators = "/_-. "
    for line in lines:
        first_word = line.lstrip(separators)
        assert len(line.rstrip(separators)) <= width or not any(
            sign in first_word.rstrip(separators) for sign in separators
        )
