"""A real browser for tests of pages."""

import os
import shutil

import pytest

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
_MISSING = "no browser to drive: Debian's packages are chromium and chromium-driver"
IN_CI = os.environ.get("CI", "") not in ("", "0", "false")
#: Of tests that need one. In CI they are not skipped: `chrome` fails.
NO_BROWSER = pytest.mark.skipif((BROWSER is None or DRIVER is None) and not IN_CI, reason=_MISSING)


def chrome(folder):
    """A headless Chromium of its own; quit it."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    if BROWSER is None or DRIVER is None:
        pytest.fail(f"{_MISSING} (`make browser` installs them); CI runs tests of pages")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in (
        *("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"),
        f"--user-data-dir={folder}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(DRIVER))
