from lmms_eval_tasks.build.photos import SOURCES
from lmms_eval_tasks.cast.pairs import demo_pairs


def test_every_photograph_is_in_one_pair_with_an_ample_description():
    pairs = demo_pairs()
    shown = [name for pair in pairs for name in pair.name.split(" + ")]
    assert sorted(shown) == sorted(source.name for source in SOURCES)
    for pair in pairs:
        assert all(file.is_file() for file in pair.images)
        for text in pair.descriptions:
            assert len(text) >= 500  # as those of the paper's data set
            assert text.isascii()
