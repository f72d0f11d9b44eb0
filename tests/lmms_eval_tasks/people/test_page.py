"""The page in a real browser, used by keyboard as a rater does."""

import re
from urllib.parse import urlsplit

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.browsers import NO_BROWSER
from tests.studies import ColourPool, ServerProcess, read_log, serving

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


@pytest.fixture
def path(tmp_path):
    return tmp_path / "<u>r.jsonl"


def recorded(path):
    return [rating.score for rating in read_log(path).ratings]


def test_a_study_by_keyboard(driver, path):
    with serving(path) as server:
        page = Page(driver, server)
        page.wait_for(1)
        assert page.text("progress-text") == "0 of 6 done, 6 to go"
        assert page.text("rater") == "anna"
        assert page.text("file") == "<u>r.jsonl"
        page.press("7")
        page.wait_for(2)
        page.press("0")
        page.wait_for(3)
        assert recorded(path) == [7, 10]

        page.driver.refresh()  # keeps the place
        page.wait_for(3)
        assert page.text("progress-text") == "2 of 6 done, 4 to go"
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

        assert all(name.startswith(server.url) for name in page.requested())
        assert any("/images/" in name for name in page.requested())
        assert page.complaints() == []


@pytest.mark.parametrize("delay", [20, 500])
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


class LongConditions(ColourPool):
    """Pairs with more to read than a phone can show beside the images."""

    def question(self, key):
        question = super().question(key)
        question.told["conditions"] = ["A rotation of one image does not change the score."] * 9
        return question


def test_on_a_phone_images_and_scores_are_on_one_screen(driver, path):
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        with serving(path, pool=LongConditions()) as server:
            Page(driver, server).wait_for(1)
            script = """return ["pair", "scores", "next"].map((name) => {
              const box = document.getElementById(name).getBoundingClientRect();
              return [box.top, box.bottom, box.left, box.right]; })"""
            for top, bottom, left, right in driver.execute_script(script):
                assert 0 <= top < bottom <= 844
                assert 0 <= left < right <= 390
            [pair, scores, _] = driver.execute_script(script)
            assert pair[1] - pair[0] >= 170
            assert pair[1] <= scores[0]
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


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
