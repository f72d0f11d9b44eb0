"""The files of phrases: every section is a pattern, and a phrase is added as a line."""

import pytest

from pairbench_ext.replies import phrases

FILES = sorted(file.stem for file in phrases.FOLDER.glob("*.txt"))
NAMES = "number top over value spelled numeral places names bare fill known said letters called"
GIVEN = dict.fromkeys(NAMES.split(), "0")


@pytest.mark.parametrize("file", FILES)
def test_every_section_is_a_pattern(file):
    patterns = phrases.of(file, **GIVEN)
    for section in phrases.sections(file):
        assert patterns.each(section)
