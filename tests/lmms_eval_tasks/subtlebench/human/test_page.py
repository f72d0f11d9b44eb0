"""The page in a real browser, used by keyboard as a person does."""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from lmms_eval_tasks.subtlebench.human.answers import READER
from pairbench_ext.core.records import lines_of
from tests.browsers import CONTRASTS, NO_BROWSER, UNNAMED, chrome, use_scheme, use_width
from tests.lmms_eval_tasks.subtlebench.human.conftest import serving

pytestmark = NO_BROWSER
SECONDS = 60


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    driver = chrome(tmp_path_factory.mktemp("browser"))
    yield driver
    driver.quit()


def recorded(path):
    return [one.letter for one in READER.to_log(lines_of(path)).ratings]


def test_questions_by_keyboard(driver, path):
    def find(name):
        return driver.find_element(By.ID, name)

    def wait(condition):
        WebDriverWait(driver, SECONDS, 0.02).until(lambda _: condition())

    def wait_for(number):
        said = f"Sample {number} of 9"
        wait(lambda: find("position").text == said)
        wait(lambda: find("pair").get_attribute("aria-busy") == "false")

    def press(*keys):
        driver.switch_to.active_element.send_keys(*keys)

    def chosen():
        buttons = driver.find_elements(By.CSS_SELECTOR, "#scores [aria-pressed=true]")
        return [button.text.split()[0] for button in buttons]

    def seen():
        return [each.is_displayed() for each in driver.find_elements(By.CSS_SELECTOR, "figure")]

    with serving(path) as server:
        driver.get(server.url)
        wait_for(1)
        assert "What of" in find("question").text
        press("b")
        wait_for(2)
        press("1")
        wait_for(3)
        press("9")  # none of the options
        assert recorded(path) == ["B", "A"]

        assert seen() == [True, True]  # both at once, then one after the other
        press("s")
        assert seen() == [True, False]
        press("f")
        assert seen() == [False, True]
        press("s")
        assert seen() == [True, True]

        driver.refresh()  # keeps the place
        wait_for(3)
        press("u")  # takes back the last answer
        wait_for(2)
        assert recorded(path) == ["B"]
        press(Keys.ARROW_LEFT)
        wait_for(1)
        assert chosen() == ["B"]
        driver.find_elements(By.CSS_SELECTOR, "#scores button")[0].click()  # going back changes
        wait_for(2)
        assert recorded(path) == ["B", "A"]

        for scheme in ("light", "dark"):
            use_scheme(driver, scheme)
            contrasts = driver.execute_script(CONTRASTS)
            assert min(contrasts.values()) >= 4.5, contrasts
        assert driver.execute_script(UNNAMED) == []
        use_width(driver, 360)
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 360
        assert [entry["message"] for entry in driver.get_log("browser")] == []
