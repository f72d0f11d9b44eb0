"""The page of a run in progress: from the journal as it grows, is torn, and is gone."""

import http.client
import json
import shutil
import threading

import pytest
from typer.testing import CliRunner

from pairbench_ext.core import registry
from pairbench_ext.live.numbers import TaskNumbers
from pairbench_ext.live.progress import Progress
from pairbench_ext.live.server import LiveServer
from pairbench_ext.resumable.journal.store import Answer, Entry, Journal
from pairbench_ext.runs.scoring import score_file
from pairbench_ext.show.cli.main import app
from tests.browsers import CONTRASTS, NO_BROWSER, UNNAMED, chrome, use_scheme, use_width
from tests.conftest import preference_rows, write_split
from tests.journals import announce
from tests.judge_logs import TASK, say, write_log


def answers(*replies, task=TASK, first=0):
    return [
        Entry(f"{number:08x}", task, Answer(reply), doc=number)
        for number, reply in enumerate(replies, start=first)
    ]


@pytest.fixture
def data(tmp_path, monkeypatch):
    write_split(tmp_path / "data_of", "data", "test", preference_rows())
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(tmp_path / "data_of"))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "journal"


@pytest.fixture
def progress(folder, monkeypatch):
    monkeypatch.setattr("pairbench_ext.live.progress._SHARE", 1.0)  # look as often as is asked
    return Progress(folder)


@pytest.mark.usefixtures("data")
def test_first_numbers_are_those_of_the_log(tmp_path):
    log = write_log(tmp_path / "judge", lambda _, right: say(right if right == 1 else 1))
    [file] = log.iterdir()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    some = [number for number in range(len(lines)) if number % 3]
    file.write_text("".join(json.dumps(lines[number]) + "\n" for number in some))
    run = score_file(registry.benchmark_of("vl_rewardbench"), file)
    own = [answers(lines[n]["filtered_resps"], first=n)[0] for n in some]
    found = TaskNumbers(TASK).update(own)
    assert (found.scored, found.note) == (len(some), "")
    shown = {title: values for title, *values in found.numbers}
    assert len(shown) == len(found.numbers)  # no two are called alike
    number = run.benchmark.number("vote_accuracy")
    title = ", ".join(filter(None, (number.title, number.section)))
    assert shown[title] == [run.numbers[one] for one in (number.name, *number.ends)]


@pytest.mark.usefixtures("data")
def test_the_latest_answer_counts_and_is_read_once():
    numbers = TaskNumbers(TASK)
    old, *_ = answers(say(1))
    new = Entry("ff", TASK, Answer("I cannot tell."), doc=0, when=2.0)
    before = numbers.update([old])
    kept = numbers._readings[0]
    assert numbers.update([old]) == before
    assert numbers._readings[0] is kept
    after = numbers.update([new, old])
    assert (before.scored, after.scored) == (1, 1)
    assert after.numbers != before.numbers


@pytest.mark.usefixtures("data")
def test_answers_that_are_no_trial_s_are_left_out():
    odd = [*answers(say(1), first=10_000), Entry("a0", TASK, Answer("x"), doc="x")]
    assert TaskNumbers(TASK).update(odd).scored == 0
    late = Entry("a1", TASK, Answer("x"), doc=0, round=1)  # without the round before it
    assert TaskNumbers(TASK).update([late]).scored == 0


def test_tasks_of_others_and_tasks_without_data_have_a_reason(tmp_path, monkeypatch):
    assert "of the harness" in TaskNumbers("mme").update(answers("yes", task="mme")).note
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(tmp_path / "gone"))
    assert TaskNumbers(TASK).update(answers(say(1))).note.startswith("no numbers yet: ")


@pytest.mark.usefixtures("data")
def test_a_journal_that_grows_is_torn_and_vanishes(progress, folder):
    with Journal.open(folder) as journal:
        announce(journal, TASK, [f"{n:08x}" for n in range(16)])
        journal.append(answers(say(1), say(1)))
        [task] = progress.state()["tasks"]
        assert (task["answers"], task["left"], task["scored"]) == (2, 14, 2)
        assert progress.state()["writing"]
        journal.append(answers(say(2), first=2))
        [task] = progress.state()["tasks"]
        assert (task["answers"], task["left"], task["scored"]) == (3, 13, 3)
    file = next(folder.glob("*.journal"))
    whole = file.read_bytes()
    for cut in range(len(whole) - 40, len(whole), 7):
        file.write_bytes(whole[:cut])
        state = progress.state()
        assert (state["error"], state["tasks"][0]["answers"]) == ("", 2)
    file.write_bytes(b"\xff" * 100 + whole)
    assert progress.state()["torn"] == 1
    shutil.rmtree(folder)
    gone = progress.state()
    assert "no journal here" in gone["error"]
    assert gone["tasks"][0]["name"] == TASK  # as it was last seen
    folder.mkdir()
    file.write_bytes(whole)
    assert progress.state()["error"] == ""


@pytest.fixture
def server(progress):
    with LiveServer(progress) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def asked(server, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port)
    connection.request(method, path, headers=headers)
    reply = connection.getresponse()
    return reply.status, reply.getheader("Content-Security-Policy"), reply.read()


def test_only_this_machine_and_four_addresses(server):
    assert server.server_address[0] == "127.0.0.1"
    for path in ("/", "/page.css", "/page.js", "/state"):
        status, policy, body = asked(server, path)
        assert (status, bool(body)) == (200, True)
        assert policy.startswith("default-src 'none'")
    assert asked(server, "/", "HEAD")[2] == b""
    assert asked(server, "/../setup.cfg")[0] == 404
    assert asked(server, "/", Host="evil.example")[0] == 403
    assert asked(server, "/state", "POST")[0] == 501


def test_what_cannot_be_served_is_one_sentence(tmp_path, server):
    for line, status, said in (
        (["report"], 2, "name runs, or one journal with --live DIR"),
        (["report", "x", "--live", "y"], 2, "name runs, or one journal with --live DIR"),
        (["report", "--live", str(tmp_path / "no")], 1, "no journal here"),
        (["report", "--live", "x", "--port", str(server.server_port)], 1, "cannot be used"),
    ):
        done = CliRunner().invoke(app, line)
        assert (done.exit_code, said in " ".join(done.output.split())) == (status, True), (
            done.output
        )


@NO_BROWSER
@pytest.mark.usefixtures("data")
def test_the_page_in_a_browser(server, folder, tmp_path):
    from selenium.webdriver.support.ui import WebDriverWait

    hostile = "<img src=x onerror=\"document.title='owned'\">"
    driver = chrome(tmp_path / "browser")
    try:
        with Journal.open(folder) as journal:
            announce(journal, TASK, [f"{n:08x}" for n in range(16)])
            journal.append([*answers(say(1), say(1)), *answers("yes", task=hostile, first=50)])
            driver.get(server.url)

            def shows(text):
                script = "return document.body.innerText"
                WebDriverWait(driver, 60, 0.05).until(
                    lambda _: text in driver.execute_script(script)
                )

            shows("2 of 16 answered")
            shows(hostile)
            assert driver.execute_script("return document.images.length") == 0
            journal.append(answers(say(2), first=2))
            shows("3 of 16 answered")  # without a word from us
            for scheme in ("light", "dark"):
                use_scheme(driver, scheme)
                ratios = driver.execute_script(CONTRASTS)
                assert min(ratios.values()) >= 4.5, ratios
            assert driver.execute_script(UNNAMED) == []
            use_width(driver, 360)
            assert driver.execute_script("return document.documentElement.scrollWidth") <= 360
        shutil.rmtree(folder)
        shows("no journal here")
        shows("3 of 16 answered")
        assert driver.get_log("browser") == []
    finally:
        driver.quit()
