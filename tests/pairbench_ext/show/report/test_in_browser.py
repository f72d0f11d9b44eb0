"""The page in a real browser: every filter and key, and nothing that a model says does anything."""

import itertools
import json
import re
from itertools import cycle
from urllib.parse import quote

import pytest
from selenium.webdriver.support.ui import WebDriverWait

from benchmarks import simulated_judges
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.runs.side_by_side import side_by_side
from pairbench_ext.show.report.page import write_report
from pairbench_ext.stacks.records.labels import people_labels
from tests.browsers import NO_BROWSER
from tests.conftest import preference_rows, write_split
from tests.files import judges_in, judges_of
from tests.judge_logs import TASK, say, write_lines, write_log, write_rows

pytestmark = NO_BROWSER
SECONDS = 60
SOURCES = ("RLAIF-V", "RLHF-V", "wildvision-battle")
ITEMS = tuple((f"{source}-{number}", number % 2, None) for number, source in enumerate(SOURCES * 4))
ALERTS = "<script>document.title='owned'</script>"
HOSTILE = (
    ALERTS,
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "<svg onload=\"document.title='owned'\"><a href='javascript:1'>x</a></svg>",
    "</pre></section></article><h1>Overall Judgment: Answer 2 is better.</h1>",
    "<style>*{display:none}</style>",
    "\x1b[2J\x1b[31mred\x1b]0;title\x07",
    "\u202eAnswer 1\u202c \u2067abc",
    "a\x00b\x00Overall Judgment: Answer 1 is better.",
    "\ud83d alone \udc00",
    "__proto__ constructor toString",
    "`'\"\\u2028\u2028\u2029\ufeff",
    "<a id=item name=list>x</a><form id=filters></form>",
    "x" * 60_000,
    "",
)
NAMES = (*HOSTILE[:6], HOSTILE[7], HOSTILE[10], HOSTILE[12])  # what may name an item


def write(judges, path, **how):
    tasks = [task for side in side_by_side(judges) for task in side.judges.values()]
    return write_report(judges, path, people=people_labels((), tasks), **how)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def page(folder):
    """Two judges: one is right but unread in two items, the other always says the first."""
    write_split(folder / "data_of", "data", "test", preference_rows(ITEMS))
    unread = {"RLAIF-V-0": "I cannot tell.", "RLHF-V-1": "Both are equally good."}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VL_REWARDBENCH_DATA", str(folder / "data_of"))
        right = write_log(folder / "right", lambda trial, x: unread.get(trial["item"], say(x)))
        first = write_log(folder / "first", lambda trial, better: say(1))
        written = write(judges_of(right, first), folder / "report.html")
    assert written.tasks[TASK].problems == {}
    return written.path


class Reader:
    """The page, as someone who reads it."""

    def __init__(self, driver, path, part=""):
        self.driver = driver
        driver.get("about:blank")
        driver.get(f"{path.as_uri()}{part}")
        self.wait(lambda: self.run("return document.documentElement.dataset.ready") == "yes")

    def wait(self, condition):
        WebDriverWait(self.driver, SECONDS, 0.02).until(lambda _: condition())

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def text(self, name):
        return self.run("return document.getElementById(arguments[0]).textContent", name)

    def set(self, name, value, event="change"):
        """Choose or type; a search is done when the count is there again."""
        self.run(
            "const e = document.getElementById(arguments[0]); "
            "document.getElementById('count').textContent = '';"
            "e.value = arguments[1]; e.dispatchEvent(new Event(arguments[2], {bubbles: true}))",
            *(name, value, event),
        )
        self.wait(lambda: self.text("count") != "")

    def option(self, name, text):
        return self.run(
            "return [...document.getElementById(arguments[0]).options]"
            ".find((one) => one.text === arguments[1]).value",
            *(name, text),
        )

    def found(self):
        return int(self.text("count").split()[0])

    def states(self):
        """The filters of one click, with their counts."""
        buttons = self.run(
            "return [...document.querySelectorAll('#states button')].map((e) => e.textContent)"
        )
        return {words: int(count) for words, _, count in (b.rpartition(" ") for b in buttons)}

    def show(self, words):
        self.run(
            "[...document.querySelectorAll('#states button')]"
            ".find((e) => e.textContent.startsWith(arguments[0])).click()",
            words,
        )

    def shows(self, name):
        self.wait(
            lambda: self.run("return document.getElementById('item-name')?.textContent") == name
        )


def test_back_to_the_samples_by_the_menu_is_back_to_their_title_and_address(driver, page):
    reader = Reader(driver, page, f"#samples/{TASK}/RLHF-V-1")
    reader.shows("RLHF-V-1")
    before = reader.run("return [document.title, location.hash]")
    reader.run("document.querySelector('[data-part=overview]').click()")
    reader.wait(lambda: reader.run("return document.title") != before[0])
    reader.run("document.querySelector('[data-part=samples]').click()")
    reader.wait(lambda: reader.run("return [document.title, location.hash]") == before)


def test_a_click_on_a_number_opens_the_samples_of_its_judge_and_task(driver, page):
    reader = Reader(driver, page, "#overview")
    rows = "#part-overview tr[data-row]"
    reader.run(f"document.querySelectorAll('{rows}')[1].querySelector('td.pb-num').click()")
    reader.wait(lambda: reader.run("return location.hash").startswith(f"#samples/{TASK}"))
    chosen = "return document.getElementById('judge').selectedOptions[0].textContent"
    name = reader.run(f"return document.querySelectorAll('{rows}')[1].dataset.row")
    reader.wait(lambda: name == f"{reader.run(chosen)}, {TASK}")


@pytest.mark.parametrize(
    ("part", "lacks"),
    [
        ("#samples/nothing", "This page has no task nothing."),
        (f"#samples/{TASK}/nobody", f"{TASK} has no item nobody."),
        (f"#samples/{TASK}/RLHF-V-1/99", "RLHF-V-1 has no question 99."),
        (f"#samples/{TASK}/RLHF-V-1", ""),
    ],
)
def test_an_address_of_what_the_page_lacks_is_said(driver, page, part, lacks):
    reader = Reader(driver, page, part)
    assert reader.text("lacks") == (f"{lacks} Another one is shown." if lacks else "")


def test_filters(driver, page):
    reader = Reader(driver, page, f"#samples/{TASK}")
    assert reader.found() == 12
    counts = {
        "all": 12,
        "wrong": 12,
        "unreadable": 2,
        "judges differ": 10,
        "order changes the answer": 12,
    }
    assert reader.states() == counts
    for state, number in counts.items():
        reader.show(state)
        assert reader.found() == number, state
    reader.set("judge", "0")  # the one that is right
    assert reader.states() == {**counts, "wrong": 0, "order changes the answer": 0}
    assert reader.found() == 0
    assert "No item passes" in reader.text("item")
    reader.set("judge", "-1")
    reader.show("unreadable")
    reasons = reader.run("return [...document.getElementById('why').options].map((o) => o.text)")
    assert len(reasons) == 3
    for reason in reasons[1:]:
        reader.set("why", reader.option("why", reason))
        assert reader.found() == 1
    reader.show("all")  # the reason is then not asked for
    assert reader.found() == 12
    reader.set("group", reader.option("group", "rlhf-v"))
    assert reader.found() == 4
    reader.run("document.getElementById('clear').click()")
    reader.wait(lambda: reader.found() == 12)
    reader.set("find", "CANNOT tell", "input")
    assert reader.found() == 1
    reader.shows("RLAIF-V-0")
    assert driver.get_log("browser") == []


def test_what_is_seen_on_a_control_is_in_its_name(driver, page):
    """Axe's label-content-name-mismatch: who speaks to a computer says what is seen."""
    Reader(driver, page, f"#samples/{TASK}")
    for control in driver.find_elements("css selector", ":is(a,button,[role=option])[aria-label]"):
        words = re.sub(r"[^\w\s]", "", control.text).casefold().split()
        assert " ".join(words) in control.accessible_name.casefold()
    rows = driver.find_elements("css selector", "#list [role=option]")
    assert any("order changes the answer" in row.accessible_name for row in rows)


PROBLEMS = {
    "sharp": set(),
    "first": {"Position bias."},
    "wordy": {"Length bias.", "Unreadable replies."},
    "habits": {"Position bias.", "Length bias.", "Unreadable replies."},
}


def first_screens(driver, path):
    """At each size, the judges of each table in order, with their problems; nothing is cut off."""
    for width, height in ((1440, 900), (390, 844)):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        reader = Reader(driver, path)
        assert not reader.run(
            "return [document.documentElement, ...document.querySelectorAll('.scroll, .pb-scroll')]"
            ".filter((e) => !e.closest('[hidden], details:not([open])') &&"
            "  e.scrollWidth > e.clientWidth).length"
        )
        first = "return document.querySelector('.pb tbody tr').getBoundingClientRect().bottom"
        assert reader.run(first) < height  # the best judge is seen without scrolling
        bars = "return [...document.querySelectorAll('.pb section table')[0].querySelectorAll("
        small = f"{bars}'td.pb-num small')].filter((e) => e.offsetWidth).length"
        assert reader.run(small) > 0  # intervals stay
        yield reader.run(
            "return [...document.querySelectorAll('.pb section > .pb-scroll table')].map((table) =>"
            "  [...table.querySelectorAll('tr[data-row]')].map((row) => [row.dataset.row,"
            "    [...(row.nextElementSibling?.matches('.pb-why') ? row.nextElementSibling : "
            "      document.createElement('p')).querySelectorAll('b')].map((e) => e.textContent)]))"
        )
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_first_screen_shows_the_best_judge_and_each_problem(driver, folder):
    simulated_judges.write(folder / "simulated")
    for log in folder.glob("simulated/*/*_pairbench_coco_*"):
        if "rotate" not in log.name:  # one table of ratings is enough
            log.unlink()
    write(judges_in(folder / "simulated"), folder / "four.html", images="none")
    for tables in first_screens(driver, folder / "four.html"):
        votes = next(table for table in tables if table[1][1] and table[0][0] == "sharp")
        assert [name for name, _ in votes[:2]] == ["sharp", "first"]
        assert {name: {*problems} for name, problems in votes} == PROBLEMS


def test_the_first_screen_shows_each_problem_of_twelve_judges(driver, folder):
    for number in range(12):
        kind, judge = [*simulated_judges.JUDGES.items()][number % 4]
        name = f"{kind}-judge-{number}"
        samples = list(simulated_judges.votes(judge, name))
        write_lines(folder / "many" / name / "1_samples_vl_rewardbench_both.jsonl", samples)
    write(judges_in(folder / "many"), folder / "many.html", images="none")
    for table, *_ in first_screens(driver, folder / "many.html"):
        assert len(table) == 12
        # One judge without a problem may be flagged.
        wrong = [name for name, told in table if {*told} != PROBLEMS[name.partition("-")[0]]]
        assert len(wrong) <= 1, wrong


def test_nothing_leaves_the_page(driver, page):
    reader = Reader(driver, page, f"#samples/{TASK}")
    entries = "return performance.getEntries().map((e) => [e.entryType, e.name])"
    kinds = ("navigation", "resource")
    asked = {name for kind, name in reader.run(entries) if kind in kinds}
    assert all(name.startswith(("file:", "data:image/webp")) for name in asked)
    blocked = reader.run(
        "const done = []; document.addEventListener('securitypolicyviolation', (e) => "
        "done.push(e.violatedDirective)); window.violations = done;"
        "const s = document.createElement('script'); s.textContent = 'window.owned = 1';"
        "document.body.append(s); const i = new Image(); i.src = 'https://example.org/x.png';"
        "fetch('https://example.org/').catch(() => done.push('fetch'));"
        "return window.owned ?? null"
    )
    assert blocked is None
    reader.wait(lambda: len(reader.run("return window.violations")) >= 4)
    driver.get_log("browser")


def test_hostile_replies_change_nothing(driver, folder):
    pairs = (f"{a}{b}" for a, b in itertools.permutations(HOSTILE[:5], 2))
    replies = ["x" * 5_000_000, *HOSTILE, *pairs]
    rows = write_rows(folder / "hostile" / "judge<b>.jsonl", replies)
    path = folder / "hostile.html"
    written = write(judges_of(rows), path, title="<i>Card</i>")
    assert written.size < 3_000_000  # very long ones are cut
    reader = Reader(driver, path, "#samples")
    state = (
        "return [document.scripts.length, document.forms.length, document.body.children.length,"
        "document.querySelectorAll('style, link, iframe, object, svg image').length]"
    )
    before = reader.run(state)
    visit = """
        const done = arguments[arguments.length - 1];
        (async () => {
          const found = [];
          for (let n = 0; n < arguments[0]; n++) {
            const name = `i${n}`;
            location.hash = `#samples//${name}`;
            while (document.getElementById("item-name")?.textContent !== name)
              await new Promise((next) => setTimeout(next, 1));
            const box = document.querySelector(".reply");
            box.parentElement.querySelector("button")?.click();
            found.push([box.textContent, [...box.querySelectorAll("*")].map((e) => e.tagName),
              [...document.querySelectorAll("#item > *")].map((e) => e.tagName), document.title]);
          }
          done(found);
        })();
    """
    driver.set_script_timeout(SECONDS)
    shown = driver.execute_async_script(visit, len(replies))
    assert reader.run(state) == before
    for number, (reply, (text, inside, around, title)) in enumerate(
        zip(replies, shown, strict=True)
    ):
        assert set(inside) <= {"MARK", "SPAN"}, number
        assert around == ["HEADER", "SECTION", "DIV"], number
        assert title == f"i{number} · <i>Card</i>"
        assert text == visible(reply) or not reply, number
    assert driver.get_log("browser") == []


def test_hostile_names_and_prompts_change_nothing(driver, folder, vlrb_data, monkeypatch):
    """In all that logs and their names say, of two judges, in every part of the page."""
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))
    *judges, task = (payload.replace("/", "\u2215") for payload in (*HOSTILE[:2], HOSTILE[2]))
    names = []
    for number, judge in enumerate(judges):
        run = folder / "names" / judge
        write_log(run, lambda _, right, number=number: say(1 if number else right))
        [log] = run.iterdir()
        samples = [json.loads(line) for line in log.read_text().splitlines()]
        for sample, payload in zip(samples, cycle(NAMES), strict=False):
            trial = sample["trial"]
            sample |= {"input": payload, "target": payload}
            trial |= {"item": f"{payload}{trial['item']}", "source": payload, payload: payload}
            names.append(trial["item"])
        log.unlink()
        write_lines(run / f"1_samples_{task}.jsonl", samples)
        about = {"model_name": HOSTILE[3], "config": {"model_args": HOSTILE[4]}}
        (run / "1_results.json").write_text(json.dumps(about))
    path = folder / "names.html"
    write(
        read_judges(judge_runs(folder / "names" / judge for judge in judges)),
        path,
        title=HOSTILE[2],
    )
    reader = Reader(driver, path)
    scripts = reader.run("return document.scripts.length")
    parts = "return [...document.querySelectorAll('nav a')].map((link) => link.hash)"
    for part in reader.run(parts):
        reader.run("location.hash = arguments[0]", part)
    for name in set(names):
        reader.run("location.hash = arguments[0]", f"#samples/{quote(task)}/{quote(name, safe='')}")
        reader.shows(visible(name))
    assert reader.run("return document.scripts.length") == scripts
    assert driver.title != "owned"
    assert driver.get_log("browser") == []


def visible(text):
    """As the page shows a text: control characters and half pairs as signs."""
    signs = {**{n: 0x2400 + n for n in range(32) if chr(n) not in "\t\n"}, 127: 0x2421}
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text).translate(signs)
