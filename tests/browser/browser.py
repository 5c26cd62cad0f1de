# SPDX-License-Identifier: Apache-2.0
"""What the tests of the page share: real projects whose pages are written by the real command, and a headless Chromium
that keeps every message and refuses to be talked to by anything but the page. Exit code 77, with the reason, where
there is no browser."""
import atexit
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    skip("no python3-selenium here (./dev browser installs it)")
CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
if CHROMIUM is None or DRIVER is None:
    skip("no chromium or no chromedriver here (./dev browser installs them)")

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])
STEELYARD = os.environ["STEELYARD"]
WORK = pathlib.Path(tempfile.mkdtemp(prefix="steelyard-browser."))
atexit.register(shutil.rmtree, WORK, ignore_errors=True)

# ---- projects


def environment():
    """Nothing of this user's: a home, a store and leases of its own."""
    for name in ("home", "leases"):
        (WORK / name).mkdir(mode=0o700, exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS") if name in os.environ}
    return kept | {
        "HOME": str(WORK / "home"), "STEELYARD_LEASES": str(WORK / "leases"), "TZ": "UTC", "LC_ALL": "C.UTF-8",
        "GIT_AUTHOR_NAME": "ann", "GIT_AUTHOR_EMAIL": "ann@example.org", "GIT_COMMITTER_NAME": "ann",
        "GIT_COMMITTER_EMAIL": "ann@example.org", "GIT_CONFIG_NOSYSTEM": "1"}


def run(*words, folder=WORK, codes=(0,), **more):
    """Runs a command; what it printed. Any other exit code fails the test with all that was said."""
    done = subprocess.run(words, cwd=folder, env=environment() | more, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", timeout=300, check=False)
    if done.returncode not in codes:
        raise AssertionError(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def steelyard(*words, **more):
    return run(STEELYARD, *words, **more)


def write_page(folder, name="page.html", *options):
    page = WORK / (folder.name + "-" + name)
    steelyard("report", "--html", str(page), *options, folder=folder)
    return page


@functools.cache
def toy_project():
    """The story of docs/tutorial.md: a baseline, a confirmed block, a mended revision, a promoted row."""
    folder = WORK / "toy"
    steelyard("matrix", "init", "--backend", "fake", "--root", str(folder))

    def git(*words):
        run("git", *words, folder=folder)

    def session(day, *options):
        steelyard("run", "exec", "--gate", "toy.fake.session", *options, folder=folder, DAY=str(day))

    def compare(*codes):
        steelyard("compare", "last", "--revision-comparison", folder=folder, codes=codes)

    def change(before, after, message):
        script = folder / "bench.sh"
        script.write_text(script.read_text().replace(f"base={before}", f"base={after}"))
        git("commit", "--quiet", "--all", "--message", message)

    git("init", "--quiet", "--initial-branch", "main", ".")
    git("add", ".")
    git("commit", "--quiet", "--message", "The toy")
    for day in range(1, 6):
        session(day)
        steelyard("run", "accept", "last", "--by", "ann", folder=folder)
    session(6, "--judge")
    steelyard("run", "accept", "last", "--by", "ann", folder=folder)
    steelyard("gate", "selftest", "toy.fake.session", folder=folder, codes=(0, 1))
    git("worktree", "add", "--quiet", str(WORK / "accepted"))
    change(2000, 2300, "Simplify the inner loop")
    session(7)
    compare(5)
    for day in (8, 9):
        session(day, "--control-directory", str(WORK / "accepted"))
    compare(1)
    change(2300, 1800, "Keep the table in registers")
    for day in (10, 11, 12):
        session(day, "--control-directory", str(WORK / "accepted"))
        compare(0, 5)
    listed = steelyard("run", "list", "--limit", "3", "--json", folder=folder)
    for row in json.loads(listed)["runs"]:
        steelyard("run", "accept", row["id"], "--by", "ann", folder=folder)
    steelyard("signoff", "last", "--by", "ann", "--statement", "Samples looked at", folder=folder)
    steelyard("promote", "last", "--by", "ann", "--claim", "The toy takes 1.85 ms", folder=folder)
    return folder


@functools.cache
def empty_project():
    folder = WORK / "empty"
    steelyard("matrix", "init", "--backend", "fake", "--root", str(folder))
    return folder


# Names that end a script, a cell or a line, or that a table of names takes for its own.
HOSTILE_NAMES = [
    "</script><img src=x onerror=alert(1)>", "<!--", "a\"b'c&d", "BM_foo<T, U>", "left\u202eright", "line\u2028break",
    "__proto__", "constructor", "hasOwnProperty", "\u0645\u0635\u0641\u0648\u0641\u0629", "\U0001f40c snail",
    "BM_case", "BM_CASE", "javascript:alert(1)", "${alert(1)}", "{{7*7}}", "x" * 4096]


@functools.cache
def hostile_project():
    """Benchmarks of those names, imported as google-benchmark writes them, and a session of a hostile branch."""
    folder = WORK / "hostile"
    steelyard("matrix", "init", "--backend", "fake", "--root", str(folder))
    run("git", "init", "--quiet", "--initial-branch", "<img/src=x/onerror=alert(1)>", ".", folder=folder)
    run("git", "add", ".", folder=folder)
    run("git", "commit", "--quiet", "--message", "</script><script>alert(1)</script>", folder=folder)
    rows = [{"name": name, "run_name": name, "run_type": "iteration", "repetitions": 2, "repetition_index": repetition,
             "threads": 1, "iterations": 10, "real_time": 10.0 + index + repetition, "cpu_time": 10.0,
             "time_unit": "ns"} for index, name in enumerate(HOSTILE_NAMES) for repetition in range(2)]
    for day in range(3):
        file = WORK / f"hostile-{day}.json"
        file.write_text(json.dumps({"context": {"date": f"2026-11-2{day}T10:00:00+09:00", "num_cpus": 2,
                                                "host_name": "<b>host</b>", "executable": "./<i>bench</i>",
                                                "library_build_type": "release"}, "benchmarks": rows}))
        steelyard("import", "google-benchmark", str(file), folder=folder)
    steelyard("run", "exec", "--gate", "toy.fake.session", folder=folder, DAY="1")
    return folder


# ---- the browser


class Browser:
    """One headless Chromium. messages(): what its console said since the last call."""

    def __init__(self, width=1280, height=900):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for word in ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                     "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
                     f"--user-data-dir={tempfile.mkdtemp(dir=WORK)}", f"--window-size={width},{height}"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        self.driver = webdriver.Chrome(service=Service(DRIVER, env=environment()), options=options)
        self.driver.set_script_timeout(60)
        self.resize(width, height)

    def resize(self, width, height=900):
        """The width of the page itself: a window is never as narrow as a phone."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def dark(self, is_dark, medium=""):
        """The colours that the system asks for, on the screen or in "print"."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium, "features": [
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]})

    def open(self, page, route=""):
        """A page from its beginning, at a route of it."""
        self.driver.get("about:blank") # a change of the part behind # alone loads nothing
        self.driver.get(pathlib.Path(page).as_uri() + route)

    def ready(self):
        self.wait("document.documentElement.dataset.ready === 'true'", "the page has its data")

    def go(self, route):
        """Another view of the page that is open, as a link does it: drawn when two frames have gone by."""
        self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1];
            location.hash = arguments[0];
            setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 0);""", route)
        self.wait("document.querySelector('#view').childElementCount > 0", f"the view {route} is there")

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def wait(self, condition, what):
        """Until a piece of JavaScript is true: a minute, because machines are shared."""
        from selenium.common.exceptions import TimeoutException
        from selenium.webdriver.support.ui import WebDriverWait
        try:
            return WebDriverWait(self.driver, 60, 0.05).until(lambda driver: driver.execute_script("return " + condition))
        except TimeoutException:
            raise AssertionError(f"{what}: not so after a minute: {condition}") from None

    def text(self):
        return self.script("return document.body.innerText")

    def messages(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def close(self):
        self.driver.quit()


class PageTest(unittest.TestCase):
    """A test with a browser of its own, which must say nothing in its console and open no dialog."""
    width = 1280

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(cls.width)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def tearDown(self):
        self.assertEqual(self.browser.messages(), [])

    def rows(self, place="#view"):
        """The cells of the tables' rows that are shown, as text."""
        return self.browser.script("""
            return Array.from(document.querySelectorAll(arguments[0] + " table.data tbody tr"),
                              row => Array.from(row.cells, cell => cell.innerText.trim()))""", place)
