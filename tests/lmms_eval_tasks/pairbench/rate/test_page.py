"""The page in a real browser, used by keyboard as a rater does."""

import re
from urllib.parse import urlsplit

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from lmms_eval_tasks.pairbench.rate.ratings import read_log
from tests.browsers import CONTRASTS, NO_BROWSER, chrome
from tests.studies import ColourPool, ServerProcess, serving

pytestmark = NO_BROWSER
SECONDS = 60  # how long to wait for what must come


class Page:
    """The page, as someone who sees it and types."""

    def __init__(self, driver, server, rater=None):
        self.driver = driver
        self.server = server
        self.address = server.url + ("" if rater is None else f"?rater={rater}")
        self.open()

    def open(self):
        self.driver.get(self.address)

    def find(self, name):
        return self.driver.find_element(By.ID, name)

    def text(self, name):
        return self.find(name).text

    def wait(self, condition):
        WebDriverWait(self.driver, SECONDS, 0.02).until(lambda _: condition())

    def wait_for(self, number, of=6):
        """Until this pair is on the screen and can be scored."""
        said = f"Sample {number} of {of}"
        self.wait(lambda: self.text("position") == said)
        self.wait(lambda: self.find("pair").get_attribute("aria-busy") == "false")

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def type_at(self, keys):
        """Press keys, milliseconds from now, by the browser's own clock."""
        script = """
            for (const [after, key] of Object.entries(arguments[0]))
              setTimeout(() => document.activeElement.dispatchEvent(
                new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true})), after);
        """
        self.driver.execute_script(script, keys)

    def chosen(self):
        pressed = self.driver.find_elements(By.CSS_SELECTOR, "#scores [aria-pressed=true]")
        return [int(button.text) for button in pressed]

    def requested(self):
        script = "return performance.getEntries().map((e) => [e.entryType, e.name])"
        kinds = ("navigation", "resource")
        return [name for kind, name in self.driver.execute_script(script) if kind in kinds]

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    driver = chrome(tmp_path_factory.mktemp("browser"))
    yield driver
    driver.quit()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "<u>r.jsonl"


def recorded(path):
    return [rating.score for rating in read_log(path).ratings]


def test_a_study_by_keyboard(driver, path):
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        assert page.text("progress-text") == "Progress: 1 / 6"
        assert page.text("rater") == "anna"
        assert page.text("file") == "<u>r.jsonl"
        page.press("7")
        page.wait_for(2)
        page.press("0")
        page.wait_for(3)
        assert recorded(path) == [7, 10]

        page.driver.refresh()  # keeps the place
        page.wait_for(3)
        page.press("3")
        page.wait_for(4)

        for number, key in ((3, Keys.ARROW_LEFT), (2, Keys.BACKSPACE)):  # going back changes
            page.press(key)
            page.wait_for(number)
        assert page.chosen() == [10]
        page.press("1")
        page.wait_for(3)
        assert page.chosen() == [3]
        page.press(Keys.ARROW_RIGHT)
        page.wait_for(4)
        assert recorded(path) == [7, 10, 3, 1]

        page.press("4")
        page.wait_for(5)
        page.press(Keys.ARROW_RIGHT)  # leaves one out
        page.wait_for(6)
        page.press("6")
        page.wait_for(5)  # which is asked for before the end
        page.press("5")
        page.wait_for(6)
        page.press(Keys.ARROW_RIGHT)
        page.wait(lambda: page.text("finished-title") == "All 6 pairs are rated")
        assert page.text("thanks") == "Thank you, anna. You may close this page."
        assert recorded(path) == [7, 10, 3, 1, 4, 6, 5]

        page.driver.refresh()
        page.wait(lambda: page.text("finished-title") == "All 6 pairs are rated")
        page.press(Keys.ARROW_LEFT)
        page.wait_for(6)
        assert page.chosen() == [6]

        assert all(name.startswith(server.url) for name in page.requested())
        assert any("/images/" in name for name in page.requested())
        assert page.complaints() == []
    with serving(path) as server:
        assert server.routes.sessions[0].rated == 6


@pytest.mark.parametrize("delay", [20, 80, 150, 300, 500, 800])
def test_a_typed_10_is_10_of_the_same_pair(driver, path, delay):
    """And not 1, nor a 10 for the next pair, however fast it is typed."""
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        page.type_at({0: "1", delay: "0"})
        page.wait_for(2)
        assert page.chosen() == []
        page.press("7")
        page.wait_for(3)
    ratings = read_log(path).ratings
    assert [rating.score for rating in ratings] == [10, 7]
    assert len({rating.key for rating in ratings}) == 2


def test_a_1_is_shown_before_it_is_final(driver, path):
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        page.press("1")
        assert page.find("held").is_displayed()
        assert page.chosen() == [1]
        assert recorded(path) == []
        page.wait_for(2)  # by itself
        assert recorded(path) == [1]
        page.press("0")  # 10 of this pair
        page.wait_for(3)
        assert recorded(path) == [1, 10]
        page.press("1", Keys.ENTER)  # at once
        page.wait_for(4)
        page.press("1", Keys.ESCAPE)  # not at all
        assert page.chosen() == []
        page.press("1", "6")  # a change of mind
        page.wait_for(5)
        page.press("1", Keys.ARROW_LEFT)  # is kept
        page.wait_for(4)
        assert recorded(path) == [1, 10, 1, 6, 1]


def test_the_last_score_is_taken_back(driver, path):
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        assert not page.find("undo").is_enabled()
        for score, number in (("7", 2), ("8", 3)):
            page.press(score)
            page.wait_for(number)
        page.press("u")
        page.wait_for(2)
        assert (recorded(path), page.chosen()) == ([7], [])
        page.driver.refresh()
        page.wait_for(2)
        page.find("undo").click()
        page.wait_for(1)
        assert recorded(path) == []
        assert not page.find("undo").is_enabled()


def test_a_stale_tab_does_not_overwrite(driver, path):
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        session = server.routes.sessions[0]
        session.rate(next(iter(session.state()["questions"]))["id"], 9)  # in another tab
        page.press("2")
        page.wait(lambda: "this pair's score is 9" in page.text("alert-text"))
        page.find("retry").click()
        page.wait_for(2)
        assert recorded(path) == [9]
    driver.get_log("browser")


def test_who_rates_can_be_chosen_again(driver, path):
    with serving(path, ("anna", "ben")) as server:
        page = Page(driver, server, rater=99)
        page.wait(lambda: 'There is no rater "99"' in page.text("alert-text"))
        page.driver.find_element(By.LINK_TEXT, "ben").click()
        page.wait_for(1)
        assert page.text("rater") == "ben"
        page.find("others").click()
        page.wait(lambda: "anna" in page.text("raters"))
    driver.get_log("browser")


def test_images_are_large_and_can_be_larger(driver, path):
    size = {"width": 1280, "height": 757, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        frame = page.driver.find_element(By.CSS_SELECTOR, ".frame")
        assert frame.size["height"] > 350
        for change in (lambda: page.press("z"), frame.click):
            change()
            assert frame.size["height"] > 500
            page.press("z")
            assert frame.size["height"] < 450
        page.press("z", "4")
        page.wait(lambda: recorded(path) == [4])
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_mouse_does_as_well(driver, path):
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        page.driver.find_element(By.CSS_SELECTOR, "#scores [value='9']").click()
        page.wait_for(2)
        page.find("back").click()
        page.wait_for(1)
        assert page.chosen() == [9]
        page.find("next").click()
        page.wait_for(2)
        assert recorded(path) == [9]


def test_names_and_texts_are_shown_as_they_are(driver, path):
    pool = ColourPool(splits=("texts", "<i>blur</i>"))
    with serving(path, ("<b>anna</b>", "ben"), pool=pool, n=48) as server:
        page = Page(driver, server)
        page.wait(lambda: "<b>anna</b>" in page.text("raters"))
        page.driver.find_element(By.LINK_TEXT, "<b>anna</b>").click()
        page.wait_for(1, 48)
        assert page.text("rater") == "<b>anna</b>"
        seen = set()
        for number in range(1, 20):
            page.wait_for(number, 48)
            seen |= {page.text("conditions"), page.text("pair").replace("\n", " ")}
            page.press(Keys.ARROW_RIGHT)
        assert {"Mind <u>texts</u>.", "Mind <u><i>blur</i></u>."} < seen
        assert page.text("task") == "Score <b>them</b>."
        [text] = {re.sub(r"\d", "0", one) for one in seen if one.startswith("Image Text")}
        assert text == "Image Text <script>alert(0)</script> & a mug"
        for tag in ("b", "i", "u", "s", "script:not([src])"):
            assert page.driver.find_elements(By.CSS_SELECTOR, f"main {tag}, header {tag}") == []
        assert page.complaints() == []


def test_a_server_that_was_killed_gets_the_score_later(driver, path):
    server = ServerProcess(path)
    try:
        page = Page(driver, server)
        page.wait_for(1, 48)
        page.press("8")
        page.wait_for(2, 48)
        server.kill()
        page.press("9")
        page.wait(lambda: "does not answer" in page.text("alert-text"))
        assert page.text("position") == "Sample 2 of 48"
        assert page.chosen() == []
        server = ServerProcess(path, urlsplit(server.url).port)
        page.wait_for(3, 48)  # without a click
        assert not page.find("alert").is_displayed()
        assert recorded(path) == [8, 9]
    finally:
        server.kill()
    driver.get_log("browser")  # the browser's own words about the server that was gone


def test_a_pair_that_a_server_did_not_send_comes_when_it_is_back(driver, path):
    server = ServerProcess(path)
    try:
        page = Page(driver, server)
        page.wait_for(1, 48)
        server.kill()
        for place in (2, 3, 4):  # further than images were asked for in advance
            page.press(Keys.ARROW_RIGHT)
            page.wait(lambda place=place: page.text("position") == f"Sample {place} of 48")
        page.wait(lambda: "does not answer" in page.text("alert-text"))
        page.press("7")
        server = ServerProcess(path, urlsplit(server.url).port)
        page.wait_for(4, 48)  # nothing is pressed
        assert not page.find("alert").is_displayed()
        page.press("5")
        page.wait_for(5, 48)
        assert recorded(path) == [5]  # what was typed without a pair on the screen is no score
    finally:
        server.kill()
    driver.get_log("browser")


def test_new_samples(driver, path):
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        page.press("2")
        page.wait_for(2)
        page.find("restart").click()
        page.press("5")  # not a score while the question is open
        page.find("stay").click()
        assert page.text("position") == "Sample 2 of 6"
        page.find("restart").click()
        page.find("go").click()
        page.wait_for(1)
        assert page.chosen() == []
        assert server.routes.sessions[0].round == 1
        page.driver.refresh()
        page.wait_for(1)
        assert server.routes.sessions[0].round == 1
        assert recorded(path) == [2]


def test_an_old_tab_is_told_and_goes_on(driver, path):
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        server.routes.sessions[0].restart(1)  # in another tab
        page.press("2")
        page.wait(lambda: "no such pair in the present round" in page.text("alert-text"))
        page.find("retry").click()
        page.wait(lambda: not page.find("alert").is_displayed())
        page.wait_for(1)
        page.press("3")
        page.wait_for(2)
        assert recorded(path) == [3]
    driver.get_log("browser")


def test_keys_that_mean_something_else_do_not_rate(driver, path):
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        page.press(Keys.ALT, "2")
        page.press("x", Keys.ENTER, "-")
        page.find("keys").click()  # off
        page.press("4", Keys.ARROW_RIGHT)
        assert page.text("position") == "Sample 1 of 6"
        page.driver.refresh()  # is remembered
        page.wait_for(1)
        assert not page.find("keys").is_selected()
        page.find("keys").click()
        page.press("5")
        page.wait_for(2)
        assert recorded(path) == [5]


def test_an_image_that_cannot_be_shown_is_said_and_not_rated(driver, path):
    with serving(path, pool=ColourPool(unreadable=range(4))) as server:
        page = Page(driver, server)
        page.wait(lambda: "row " in page.text("alert-text"))
        assert re.search(r"row \d: not a readable image", page.text("alert-text"))
        page.press("5")
        page.press(Keys.ARROW_RIGHT)
        page.wait(lambda: page.text("position") == "Sample 2 of 6")
        assert recorded(path) == []
    driver.get_log("browser")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read(driver, path, scheme):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    with serving(path, ("anna", "ben"), n=2) as server:
        page = Page(driver, server)
        page.wait(lambda: "anna" in page.text("raters"))
        grounds = [page.driver.execute_script(CONTRASTS)]
        page = Page(driver, server, rater=0)
        for number in (1, 2):
            page.wait_for(number, 2)
            grounds.append(page.driver.execute_script(CONTRASTS))
            page.press("6")
        page.wait(lambda: page.text("finished-title") == "All 2 pairs are rated")
        page.press(Keys.ARROW_LEFT)
        page.wait_for(2, 2)
        grounds.append(page.driver.execute_script(CONTRASTS))
        page.find("restart").click()
        grounds.append(page.driver.execute_script(CONTRASTS))
    ratios = {text: ratio for found in grounds for text, ratio in found.items()}
    assert len(ratios) > 25
    assert {text: ratio for text, ratio in ratios.items() if ratio < 4.5} == {}
    background = "return getComputedStyle(document.documentElement).backgroundColor"
    assert (driver.execute_script(background) == "rgb(22, 22, 22)") == (scheme == "dark")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_screen_reader_is_told(driver, path):
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        buttons = page.driver.find_elements(By.CSS_SELECTOR, "#scores button")
        names = [button.accessible_name for button in buttons]
        assert names == [
            "1, least similar", *map(str, range(2, 10)), "10, completely similar",
        ]  # fmt: skip
        assert page.find("bar").accessible_name == "Progress: 1 / 6"
        for image in page.driver.find_elements(By.CSS_SELECTOR, ".frame img"):
            assert re.fullmatch("Image [12] of the pair", image.accessible_name)
        page.press("4")
        page.wait_for(2)
        assert page.find("status").get_attribute("textContent") == "Saved 4 for sample 1."
        assert page.driver.switch_to.active_element == page.find("position")
        page.press(Keys.TAB)  # the scores come next
        assert page.driver.switch_to.active_element.text == "1"


def test_the_page_fits_a_small_window(driver, path):
    size = {"width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    with serving(path, raters=("somebody of a long name", "ben")) as server:
        page = Page(driver, server, rater=0)
        page.wait_for(1)
        wide = "return document.documentElement.scrollWidth"
        assert page.driver.execute_script(wide) <= 320
        who, change = page.find("who").rect, page.find("others").rect
        assert who["width"] > 120  # and says who rates, and how another one does
        assert change["x"] + change["width"] < who["x"] + who["width"] + 1 <= 321  # rounded
        bottom = "return document.getElementById('scores').getBoundingClientRect().bottom"
        assert page.driver.execute_script(bottom) <= 640  # nobody scrolls to the scores
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
