# SPDX-License-Identifier: Apache-2.0
"""axe-core finds nothing serious on any view, in both schemes and on a narrow window; and the page is used without a
mouse. STEELYARD_AXE: the file of axe-core, which ./dev browser fetches."""
import os
import pathlib
import unittest

from selenium.webdriver.common.keys import Keys

import browser

AXE = os.environ.get("STEELYARD_AXE", "")


class Accessibility(browser.PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = browser.write_page(browser.toy_project())
        cls.decision = browser.WORK / "decision.html"
        browser.steelyard("probe", "matmul", "--cases", "quick", "--implementations", "blis", "--budget", "2", "--html",
                          str(cls.decision), codes=(0, 1, 5))

    def serious(self):
        self.browser.script(pathlib.Path(AXE).read_text() + "; window.axe = axe;")
        found = self.browser.driver.execute_async_script(
            "axe.run().then(found => arguments[arguments.length - 1](found.violations), "
            "error => arguments[arguments.length - 1](String(error)))")
        self.assertIsInstance(found, list, found)
        return [f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:200]}" for one in found
                if one["impact"] in ("serious", "critical")]

    def views(self, page):
        self.browser.open(page)
        self.browser.ready()
        routes = self.browser.script("return Array.from(document.querySelectorAll('nav a'), a => a.getAttribute('href'))")
        for kind in ("series", "run", "decision"):
            if f"#/{kind}" not in routes:
                continue
            self.browser.go(f"#/{kind}")
            one = self.browser.script(f"const a = document.querySelector('#view a[href^=\"#/{kind}/\"]'); "
                                      "return a === null ? null : a.getAttribute('href')")
            routes += [one] if one is not None else []
        return routes

    @unittest.skipUnless(AXE, "axe-core is not here: ./dev browser fetches it")
    def test_nothing_serious_is_found(self):
        for page in (self.page, self.decision):
            for route in self.views(page):
                self.browser.open(page, route)
                self.browser.ready()
                self.assertEqual(self.serious(), [], route)

    @unittest.skipUnless(AXE, "axe-core is not here: ./dev browser fetches it")
    def test_nor_in_the_dark_and_on_a_narrow_window(self):
        self.browser.dark(True)
        self.browser.resize(360)
        for page in (self.page, self.decision):
            for route in [one for one in self.views(page) if one.count("/") == 2 or one == "#/"]:
                self.browser.open(page, route)
                self.browser.ready()
                self.assertEqual(self.serious(), [], route)
        self.browser.resize(1280)
        self.browser.dark(False)

    def test_every_view_has_one_first_heading_and_landmarks(self):
        for route in self.views(self.page):
            self.browser.go(route)
            self.assertEqual(self.browser.script("return document.querySelectorAll('h1').length"), 1)
            for landmark in ("main", "nav", "footer"):
                self.assertGreaterEqual(self.browser.script(f"return document.querySelectorAll('{landmark}').length"), 1)

    def test_the_keyboard_alone_reaches_every_link_of_a_view(self):
        self.browser.open(self.page)
        self.browser.ready()
        wanted = self.browser.script("return Array.from(document.querySelectorAll('nav a'), a => a.getAttribute('href'))")
        reached = set()
        for _ in range(40):
            self.browser.driver.switch_to.active_element.send_keys(Keys.TAB)
            reached.add(self.browser.script("return document.activeElement.getAttribute('href')"))
        self.assertLessEqual(set(wanted), reached)

    def test_the_focus_is_seen(self):
        self.browser.open(self.page)
        self.browser.ready()
        self.browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        self.browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        self.assertNotEqual(self.browser.script("return getComputedStyle(document.activeElement).outlineStyle"), "none")

    def test_arrow_keys_walk_through_the_sessions_of_a_chart(self):
        self.browser.open(self.page, "#/series")
        self.browser.ready()
        self.browser.go(self.browser.script("return document.querySelector('#view a[href^=\"#/series/\"]').getAttribute('href')"))
        self.browser.wait("document.querySelector('input.sessions') !== null", "the chart has its slider")
        before = self.browser.script("return document.querySelector('.readout').innerText")
        self.browser.script("document.querySelector('input.sessions').focus()")
        self.browser.driver.switch_to.active_element.send_keys(Keys.ARROW_LEFT)
        self.browser.wait("document.querySelector('.readout').innerText !== " + repr(before.replace("\u2212", "\\u2212")).replace("\\\\u", "\\u"),
                          "the readout tells another session")


if __name__ == "__main__":
    unittest.main(verbosity=2)
