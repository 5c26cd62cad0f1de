# SPDX-License-Identifier: Apache-2.0
"""10,000 series of 60 sessions each, with names of 80 letters: the page opens, counts them all, finds one, and its
tables hold no more rows than are looked at. How long that takes is bench/page_paint.py's."""
import os
import subprocess
import unittest

import browser

PAGE = browser.WORK / "large.html"
SERIES, POINTS = 10000, 60


def setUpModule():
    subprocess.run([os.environ["MAKE_CHARTS"], str(PAGE), str(SERIES), str(POINTS)], check=True, timeout=300)


class Large(browser.PageTest):
    def setUp(self):
        self.browser.open(PAGE, "#/series")
        self.browser.ready()

    def test_it_is_no_larger_than_twenty_megabytes(self):
        self.assertLessEqual(PAGE.stat().st_size, 20_000_000)

    def test_all_of_them_are_counted(self):
        counts = self.browser.script("return Array.from(document.querySelectorAll('dl.counts dd'), one => one.textContent.replace(/\\D/g, ''))")
        self.assertIn(str(SERIES), counts)
        self.assertIn(str(SERIES * POINTS), counts)
        self.assertIn("10000", self.browser.script("return document.querySelector('#view .count').textContent.replace(/\\s/g, '')"))

    def test_a_table_holds_one_page_of_its_rows(self):
        self.assertLessEqual(len(self.rows()), 200)
        self.assertLess(self.browser.script("return document.querySelectorAll('*').length"), 20000)

    def test_the_last_series_is_found_and_drawn(self):
        self.browser.go("#/series?q=009999")
        self.browser.wait("document.querySelectorAll('#view table.data tbody tr').length === 1", "it is found")
        self.browser.go(self.browser.script("return document.querySelector('#view a[href^=\"#/series/\"]').getAttribute('href')"))
        self.browser.wait("document.querySelector('svg.history') !== null", "its chart is drawn")
        self.assertIn("60 sessions", self.browser.text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
