# SPDX-License-Identifier: Apache-2.0
"""What a reader does with a project's page: reads the first screen, follows links, searches, filters, sends a link."""
import json
import re
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import browser


class Overview(browser.PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = browser.toy_project()
        cls.page = browser.write_page(cls.folder)
        cls.report = json.loads(browser.steelyard("report", "--json", folder=cls.folder))
        cls.runs = json.loads(browser.steelyard("run", "list", "--json", folder=cls.folder))["runs"]

    def open(self, route=""):
        self.browser.open(self.page, route)
        self.browser.ready()

    def links(self):
        return self.browser.script("return Array.from(document.querySelectorAll('nav a'), a => a.getAttribute('href'))")

    def test_the_first_screen_says_the_state_and_what_to_run_next(self):
        self.open()
        text = self.browser.text()
        self.assertIn("Nothing is wrong", text)
        for command in self.report["next"]:
            self.assertIn(command, text)
        self.assertLess(self.browser.script("return document.querySelector('main code').getBoundingClientRect().bottom"), 900)

    def test_the_first_screen_needs_no_script(self):
        self.browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.browser.open(self.page)
            found = self.browser.driver.find_element(By.TAG_NAME, "main").text
        finally:
            self.browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        self.assertIn("Nothing is wrong", found)
        self.assertIn(self.report["next"][0], found)
        self.assertIn("steelyard report --text --all", found)

    def test_counts_are_those_of_the_ledger(self):
        self.open()
        counts = self.browser.script("""return Object.fromEntries(Array.from(document.querySelectorAll("dl.counts > div"),
            one => [one.querySelector("dt").textContent, Number(one.querySelector("dd").textContent)]))""")
        self.assertEqual(counts["runs"], len(self.runs))
        self.assertEqual(counts["sessions"], len(self.runs))
        self.assertEqual(counts["series"], 3)
        self.assertEqual(counts["points"], 3 * len(self.runs))

    def test_every_view_opens_and_has_a_heading(self):
        self.open()
        routes = self.links()
        self.assertGreaterEqual(len(routes), 10)
        for route in routes:
            self.browser.go(route)
            self.assertTrue(self.browser.script("return document.querySelector('main h2').textContent.length > 0"), route)
            self.assertEqual(self.browser.script("return document.querySelectorAll('#view .failure').length"), 0, route)

    def test_every_run_has_a_page_that_its_link_opens(self):
        self.open("#/run")
        for run in self.runs:
            self.browser.go("#/run/" + run["id"])
            self.assertIn(run["id"], self.browser.script("return document.querySelector('#view h2').innerText"))
            self.assertIn("Samples", self.browser.text())

    def test_a_search_narrows_a_table_and_its_link_does_so_again(self):
        self.open("#/run")
        whole = len(self.rows())
        field = self.browser.driver.find_element(By.CSS_SELECTOR, "#view input[type=search]")
        field.send_keys(self.runs[0]["id"][-6:])
        self.browser.wait("document.querySelectorAll('#view table.data tbody tr').length === 1", "one row is left")
        self.assertEqual(whole, len(self.runs))
        route = self.browser.script("return location.hash")
        self.open(route)
        self.assertEqual(len(self.rows()), 1)
        self.assertIn(self.runs[0]["id"], self.rows()[0][1])

    def test_a_filter_and_an_order_stand_in_the_link(self):
        self.open("#/run?verdict=block&sort=-began")
        shown = self.rows()
        blocked = [run["id"] for run in self.runs if run["verdict"] == "block"]
        self.assertGreater(len(blocked), 0)
        self.assertEqual(sorted(row[1] for row in shown), sorted(blocked))

    def test_what_is_searched_everywhere_is_found_by_the_keyboard(self):
        self.open()
        body = self.browser.driver.find_element(By.TAG_NAME, "body")
        body.send_keys("/")
        self.browser.wait("document.activeElement.tagName === 'INPUT'", "the search has the focus")
        self.browser.driver.switch_to.active_element.send_keys("wall p95")
        self.browser.wait("document.querySelector('#found [role=option]') !== null", "a series is found")
        self.browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
        self.browser.wait("location.hash.startsWith('#/series/')", "its page is open")

    def test_a_chart_has_its_table_behind_it(self):
        self.open("#/series")
        self.browser.go(self.browser.script("return document.querySelector('#view a[href^=\"#/series/\"]').getAttribute('href')"))
        self.browser.wait("document.querySelector('figure.chart svg') !== null", "the chart is drawn")
        self.browser.driver.find_element(By.CSS_SELECTOR, "figure.chart button.toggle").click()
        self.browser.wait("document.querySelectorAll('figure.chart table.data tbody tr').length > 0", "its table is there")
        self.assertEqual(len(self.rows("figure.chart")), len(self.runs))

    def test_the_page_asks_for_nothing(self):
        self.open()
        self.assertEqual(self.browser.script("return performance.getEntriesByType('resource').length"), 0)
        policy = self.browser.script("return document.querySelector('meta[http-equiv=Content-Security-Policy]').content")
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertIsNone(re.search(r"\son\w+=", self.page.read_text().split("<script", 1)[0]))

    def test_a_page_of_one_small_ledger_is_small(self):
        self.assertLessEqual(self.page.stat().st_size, 300_000)

    def colours(self, is_dark, medium):
        """Every colour that the style names, as it is in a medium."""
        self.browser.dark(is_dark, medium)
        try:
            return self.browser.script("""
                const inside = rule => [...(rule.style || []), ...Array.from(rule.cssRules || []).flatMap(inside)];
                const names = new Set(Array.from(document.styleSheets[0].cssRules).flatMap(inside).filter(one => one.startsWith("--")));
                const style = getComputedStyle(document.documentElement);
                return Object.fromEntries([...names, "color-scheme"].map(name => [name, style.getPropertyValue(name).trim()])
                    .concat([["ground", getComputedStyle(document.body).backgroundColor]]))""")
        finally:
            self.browser.dark(False)

    def test_a_print_from_a_dark_system_is_the_one_from_a_light_one(self):
        self.open()
        light = self.colours(False, "print")
        self.assertGreater(len(light), 20)
        self.assertEqual(light["ground"], "rgb(255, 255, 255)")
        self.assertNotEqual(self.colours(True, "")["ground"], light["ground"])
        self.assertEqual(self.colours(True, "print"), light)

    def test_an_empty_project_says_what_to_measure_first(self):
        self.browser.open(browser.write_page(browser.empty_project()))
        self.browser.ready()
        self.assertIn("steelyard run exec --gate toy.fake.session", self.browser.text())
        for route in self.links():
            self.browser.go(route)

    def test_nothing_is_wider_than_the_window(self):
        for width in (360, 800, 1400):
            self.browser.resize(width)
            self.open()
            for route in self.links():
                self.browser.go(route)
                self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), width, route)
        self.browser.resize(1280)


if __name__ == "__main__":
    unittest.main(verbosity=2)
