import configparser
import re
import sys

import pytest

from pairbench_ext.core.extras import PACKAGES, MissingPackageError, require
from tests.conftest import REPOSITORY


@pytest.mark.parametrize("package", PACKAGES)
def test_a_missing_package_is_one_sentence(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    distribution, extra = PACKAGES[package]
    with pytest.raises(MissingPackageError) as caught:
        require(package, "a figure")
    sentence = f"a figure needs {distribution}: run pip install 'pairbench-ext[{extra}]'"
    assert str(caught.value) == sentence


def test_each_package_is_in_the_extra_that_the_sentence_names():
    setup = configparser.ConfigParser()
    setup.read(REPOSITORY / "setup.cfg")
    extras = {
        name: {re.split(r"[^\w-]", line)[0] for line in lines.split()}
        for name, lines in setup["options.extras_require"].items()
    }
    for distribution, extra in PACKAGES.values():
        assert distribution in extras[extra]
        assert distribution in extras["all"]
