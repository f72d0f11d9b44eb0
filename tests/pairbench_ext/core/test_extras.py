import configparser
import re
import sys
from importlib.metadata import packages_distributions

import pytest

from pairbench_ext.core.extras import PACKAGES
from tests.conftest import REPOSITORY

#: Imported only where these are there, which bring the rest.
BROUGHT = {
    *("annotated_types", "markupsafe", "openai", "pydantic_core", "tqdm", "vlmeval", "_typeshed")
}


@pytest.fixture(scope="module")
def setup():
    parser = configparser.ConfigParser()
    parser.read(REPOSITORY / "setup.cfg")
    return parser


def names(lines):
    return {re.split(r"[^\w-]", line)[0] for line in lines.splitlines() if line}


def imported():
    for folder in ("pairbench_ext", "lmms_eval_tasks"):
        for file in (REPOSITORY / folder).rglob("*.py"):
            code = file.read_text(encoding="utf-8")
            yield from re.findall(r"^ *import (\w+)[\w.]*(?: as \w+)?$", code, re.M)
            yield from re.findall(r"^ *from (\w+)[\w.]* import", code, re.M)


def test_what_is_imported_is_installed_or_in_an_extra(setup):
    extras = setup["options.extras_require"]
    lines = [extras[name] for name in extras if name != "test"]
    lines.append(setup["options"]["install_requires"])
    declared = {name.lower().replace("_", "-") for name in names("\n".join(lines))}
    known = packages_distributions()
    others = (
        {*imported()} - {"pairbench_ext", "lmms_eval_tasks"} - sys.stdlib_module_names - BROUGHT
    )
    for name in others:
        spelled = {text.lower().replace("_", "-") for text in (name, *known.get(name, ()))}
        assert spelled & declared, name


def test_each_package_is_in_the_extra_that_the_sentence_names(setup):
    extras = {name: names(lines) for name, lines in setup["options.extras_require"].items()}
    for distribution, extra in PACKAGES.values():
        assert distribution in extras[extra]
        assert distribution in extras["all"] or extra == "lmms-eval"
