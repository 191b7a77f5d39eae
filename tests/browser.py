"""A headless Chromium for tests of web pages, and what tests do with a page; skipped if it is not installed."""

import importlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

DESK = {"width": 1280, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}

Page = Any
"""A browser that shows a page, or an element of the page."""


@contextmanager
def chromium(*arguments: str) -> Iterator[Page]:
    """Start a browser with these additional arguments and quit it after the block."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install selenium")
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("Chromium and chromedriver are not installed (Debian: apt install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", *arguments):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver))
    try:
        yield browser
    finally:
        browser.quit()


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    """A browser for the tests of a module."""
    with chromium("--disable-gpu") as chrome:
        yield chrome


def opened(browser: Page, address: str, *, screen: dict[str, Any] = DESK, theme: str = "light") -> Page:
    """Open a page afresh, on a screen and with the theme of the system."""
    browser.get("about:blank")
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    set_theme(browser, theme)
    browser.get(address)
    return browser


def set_theme(browser: Page, theme: str) -> None:
    """Set the theme of the system, light or dark."""
    features = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def errors_of(page: Page) -> list[str]:
    """Return the errors that the browser has logged since the last call."""
    return [entry["message"] for entry in page.get_log("browser") if entry["level"] == "SEVERE"]


def find(page: Page, selector: str) -> Page:
    """Return the first element of a page, or in an element, that a CSS selector selects."""
    return page.find_element("css selector", selector)


def texts_of(page: Page, selector: str) -> list[str]:
    """Return the texts of all elements that a CSS selector selects, shown or not."""
    script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
    return list(page.execute_script(script, selector))


def choose(page: Page, selector: str, option: str) -> None:
    """Choose the option of a select element that has this value or this text."""
    options = find(page, selector).find_elements("css selector", "option")
    next(each for each in options if option in (each.get_attribute("value"), each.text)).click()


def key(name: str) -> str:
    """Return a key of the keyboard."""
    return str(getattr(importlib.import_module("selenium.webdriver.common.keys").Keys, name))


def background(page: Page) -> str:
    """Return the color of the background of a page."""
    return str(page.execute_script("return getComputedStyle(document.body).backgroundColor"))
