"""A real browser for tests, and what is looked for on any page in it."""

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

# All texts that are seen, with the ratio of luminances of text and background (WCAG 2.2).
CONTRASTS = """
const parse = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
const seen = (element) => element.checkVisibility() && element.getClientRects().length
    && !element.closest(".unseen, .skip, :disabled, svg");
const background = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const [r, g, b, a = 1] = parse(getComputedStyle(e).backgroundColor);
    if (a === 1) return [r, g, b];
  }
};
const luminance = (rgb) => {
  const [r, g, b] = rgb.map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const found = {};
for (const element of document.body.querySelectorAll("*")) {
  const text = [...element.childNodes].filter((n) => n.nodeType === 3)
    .map((n) => n.textContent.trim()).join("");
  if (!text || !seen(element)) continue;
  const pair = [parse(getComputedStyle(element).color).slice(0, 3), background(element)]
    .map(luminance).sort((a, b) => b - a);
  found[text.slice(0, 60)] = (pair[0] + 0.05) / (pair[1] + 0.05);
}
return found;
"""
# Of what can be used or stands for something: what has no name, and what is reached out of order.
UNNAMED = """
const seen = (element) => element.checkVisibility() && element.getClientRects().length;
const name = (element) => element.getAttribute("aria-label") || element.textContent.trim()
    || [...(element.labels ?? [])].map((label) => label.textContent.trim()).join("")
    || document.getElementById(element.getAttribute("aria-labelledby"))?.textContent.trim();
return [...document.querySelectorAll(
    "a, button, select, input, [role=listbox], [role=region], [role=img], nav, section, article")]
  .filter((element) => seen(element) && !name(element)).map((element) => element.outerHTML)
  .concat([...document.querySelectorAll("img:not([alt]), [tabindex]:not([tabindex='0'])"
    + ":not([tabindex='-1'])")].map((element) => element.outerHTML));
"""


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


def use_scheme(driver, scheme):
    """Light or dark, as the system says."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def use_width(driver, width, height=900):
    """As wide as a phone or a screen."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
