# SPDX-License-Identifier: Apache-2.0
"""Charts in a real browser: links that last, keys, the table behind the picture, shapes, names that draw badly."""
import os
import subprocess
import unittest

import browser

PAGE = browser.WORK / "charts.html"


def setUpModule():
    subprocess.run([os.environ["MAKE_CHARTS"], str(PAGE)], check=True, timeout=60)


class Charts(browser.PageTest):
    def show(self, route, selector):
        self.browser.open(PAGE, route)
        self.browser.wait("document.documentElement.dataset.ready === 'true'", "the page is ready")
        self.browser.wait(f"document.querySelector({selector!r}) !== null", f"{route} shows {selector}")

    def link_of(self, words):
        self.show("#/series", "td.link a")
        return self.browser.script(
            "return [...document.querySelectorAll('td.link a')].find((a) => a.textContent === arguments[0])"
            ".getAttribute('href')", words)

    def series(self, words):
        self.show(self.link_of(words), "svg.history")

    def press(self, key):
        from selenium.webdriver.common.by import By
        self.browser.driver.find_element(By.CSS_SELECTOR, "input.sessions").send_keys(key)

    def slider(self, name):
        return self.browser.script("return document.querySelector('input.sessions').getAttribute(arguments[0])", name)

    def test_a_link_opens_the_same_series_and_names_of_either_case_differ(self):
        upper, lower = self.link_of("wall p50 of Case"), self.link_of("wall p50 of case")
        self.assertNotEqual(upper, lower)
        self.assertRegex(upper, r"^#/series/[0-9a-f]{16}$")
        for link, words in ((upper, "wall p50 of Case"), (lower, "wall p50 of case")):
            self.show("#/", "#view")
            self.show(link, "svg.history")
            self.assertEqual(self.browser.script("return document.querySelector('#view h2').textContent"), words)

    def test_the_list_counts_all_series_and_values(self):
        self.show("#/series", "td.link a")
        self.assertEqual(self.browser.script("return document.querySelectorAll('#view tbody tr').length"), 17)
        self.assertEqual(self.browser.script("return document.querySelectorAll('svg.spark').length"), 17)
        self.assertIn("17 series with 931 values", self.browser.text().replace("\u202f", ""))

    def test_arrow_keys_go_from_session_to_session_and_speak(self):
        from selenium.webdriver.common.keys import Keys
        self.series("wall p50 of step")
        self.assertIn("session 60 of 60", self.slider("aria-valuetext"))
        self.press(Keys.ARROW_LEFT)
        self.assertIn("session 59 of 60", self.slider("aria-valuetext"))
        self.assertIn("session 59 of 60", self.browser.script("return document.querySelector('.readout').textContent"))
        self.press(Keys.HOME)
        self.assertIn("session 1 of 60", self.slider("aria-valuetext"))
        self.press(Keys.END)
        self.press(Keys.ENTER)
        self.browser.wait("location.hash.startsWith('#/run/')", "Enter opens the run")

    def test_ranges_and_keys_zoom(self):
        self.series("wall p50 of step")
        marks = "return document.querySelectorAll('svg.history .mark').length"
        self.assertEqual(self.browser.script(marks), 60)
        self.browser.script("document.querySelector('.ranges button').click()")
        self.assertEqual(self.browser.script(marks), 20)
        self.assertIn("show=20", self.browser.script("return location.hash"))
        self.press("-")
        self.assertGreater(self.browser.script(marks), 20)
        self.press("+")
        self.browser.driver.refresh()
        self.browser.wait("document.querySelectorAll('svg.history .mark').length === 20", "the address keeps the range")

    def test_states_have_shapes_of_their_own(self):
        self.series("wall p50 of step")
        shapes = self.browser.script("""
            const shapes = new Map();
            for (const mark of document.querySelectorAll("svg.history .mark"))
              shapes.set(mark.classList[1], mark.getAttribute("d").replace(/[-0-9.]+/g, "#"));
            return Object.fromEntries(shapes);""")
        self.assertEqual(set(shapes), {"accepted", "pass", "investigate", "block"})
        self.assertEqual(len({shapes["accepted"], shapes["investigate"], shapes["block"]}), 3)
        self.assertEqual(self.browser.script("return document.querySelectorAll('svg.history line.change.worse').length"), 1)
        self.assertEqual(self.browser.script("return document.querySelectorAll('svg.history line.threshold').length"), 1)

    def test_the_table_behind_has_the_chart_s_values(self):
        self.series("wall p50 of missing values")
        drawn = self.browser.script("return document.querySelectorAll('svg.history .mark').length")
        self.assertEqual(drawn, 30)
        self.browser.script("document.querySelector('figure.chart .toggle').click()")
        values = self.browser.script(
            "return [...document.querySelectorAll('.behind tbody tr')].map((row) => row.children[5].textContent)")
        self.assertEqual(len(values), 50)
        self.assertEqual(sum(value == "-" for value in values), 25)
        self.assertIn("60 rows", self.browser.text())

    def test_a_hostile_name_is_only_text(self):
        self.series("wall p50 of </script><img src=x onerror=alert(1)>")
        self.assertEqual(self.browser.script("return document.images.length"), 0)
        self.series("wall p50 of __proto__")
        self.assertIn("imported (1)", self.browser.text())

    def test_a_run_has_strips_and_those_of_its_baseline(self):
        self.series("wall p50 of step")
        run = self.browser.script("return document.querySelector('.readout a').getAttribute('href')")
        self.show(run, "svg.strip .bins")
        self.assertEqual(self.browser.script("return document.querySelectorAll('svg.strip .other .bins').length"), 2)
        text = self.browser.text()
        for words in ("40 samples, 1 unusable", "2 fields differ", "constrained", "no reference for tall", "lease 8"):
            self.assertIn(words, text)

    def test_a_million_samples_are_drawn_in_order(self):
        self.show("#/run", "td.run a")
        self.browser.script("document.querySelectorAll('td.run a')[1].click()")
        self.browser.wait("document.querySelector('svg.order') !== null", "samples in order")
        self.assertIn("1\u202f000\u202f000 samples", self.browser.text())
        self.assertIn("2\u202f000 of 1\u202f000\u202f000", self.browser.text())

    def test_a_run_without_a_page_says_how_to_see_it(self):
        self.show("#/run/20250101-000000-abcdef", "#view h2")
        self.assertIn("steelyard run show 20250101-000000-abcdef", self.browser.text())
        self.show("#/run/" + "%27%3B%20reboot", "#view h2")
        self.assertIn("steelyard run show ''\\''; reboot'", self.browser.text())

    def test_nothing_is_wider_than_a_phone(self):
        self.browser.resize(360)
        try:
            for route in ("#/series", "#/run", self.link_of("wall p50 of step"), self.link_of("wall p50 of rate")):
                self.show(route, "#view h2")
                self.browser.wait("true", "")
                self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), 360, route)
            self.show("#/run", "td.run a")
            self.browser.script("document.querySelector('td.run a').click()")
            self.browser.wait("document.querySelector('svg.strip') !== null", "a strip")
            self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), 360)
        finally:
            self.browser.resize(1280)


if __name__ == "__main__":
    unittest.main()
