import configparser
import re

from pairbench_ext.core.extras import PACKAGES
from tests.conftest import REPOSITORY


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
