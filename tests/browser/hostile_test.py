# SPDX-License-Identifier: Apache-2.0
"""Names that end a script, turn a line round or are members of every object: shown as they are, and nothing runs."""
import json
import unittest

import browser


class Hostile(browser.PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = browser.write_page(browser.hostile_project())

    def setUp(self):
        self.browser.open(self.page)
        self.browser.ready()

    def shown(self, name):
        """As the page spells it: what is hidden or turns the line round is said."""
        return self.browser.script("""return arguments[0].replace(/[\\u0000-\\u001f\\u2028-\\u202e]/g,
            c => "\\\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"))""", name)

    def test_no_text_of_the_data_is_markup(self):
        text = self.page.read_text()
        data = text[text.index('id="steelyard-data"'):]
        data = data[data.index(">") + 1:data.index("</script>")]
        self.assertNotIn("<", data)
        self.assertEqual(text.count("<script"), 2)
        self.assertEqual(text.count("</script"), 2)
        self.assertNotIn("<img", text)

    def test_nothing_that_a_name_says_is_done(self):
        routes = self.browser.script("return Array.from(document.querySelectorAll('nav a'), a => a.getAttribute('href'))")
        for route in routes:
            self.browser.go(route)
            self.assertEqual(self.browser.script("return document.querySelectorAll('img, iframe, object, embed, #view script').length"), 0)
        self.assertEqual(self.browser.script("return document.scripts.length"), 2)

    def test_each_name_is_a_series_of_its_own(self):
        self.browser.go("#/series")
        data = self.page.read_text().split('id="steelyard-data"', 1)[1].split(">", 1)
        if 'data-encoding="none"' in data[0]:
            ids = json.loads(data[1].split("</script>", 1)[0])["series"]["id"]
            self.assertEqual(len(ids), len(set(ids)))
            self.assertGreaterEqual(len(ids), 2 * len(browser.HOSTILE_NAMES))
        self.assertGreaterEqual(int(self.browser.script("return document.querySelector('nav a[href=\"#/series\"] .number').innerText")),
                                2 * len(browser.HOSTILE_NAMES))

    def test_every_name_is_found_and_shown_verbatim(self):
        for name in browser.HOSTILE_NAMES:
            self.browser.go("#/series?q=" + "".join(f"%{byte:02x}" for byte in name[:60].encode()))
            self.browser.wait("document.querySelectorAll('#view table.data tbody tr').length > 0", f"'{name[:30]}' is found")
            self.assertIn(self.shown(name)[:30], self.browser.script("return document.querySelector('#view').innerText"))

    def test_names_that_differ_in_case_alone_have_pages_of_their_own(self):
        pages = set()
        for name in ("BM_case", "BM_CASE"):
            self.browser.go("#/series?q=" + name)
            rows = self.browser.script("""return Array.from(document.querySelectorAll("#view table.data tbody tr"),
                row => [row.innerText, row.querySelector('a[href^="#/series/"]').getAttribute("href")])""")
            pages |= {href for text, href in rows if name in text}
        self.assertGreaterEqual(len(pages), 4)

    def test_a_permalink_of_a_prototype_is_no_view(self):
        for route in ("#/__proto__", "#/constructor/x", "#/series/__proto__", "#/run/constructor", "#/decision/toString",
                      "#/%00", "#/run/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "#/series?sort=__proto__&q=%ff"):
            self.browser.script("location.hash = arguments[0]", route)
            self.browser.wait("document.querySelector('#view h2') !== null", route)
        self.assertEqual(self.browser.script("return document.querySelectorAll('img').length"), 0)

    def test_a_dialog_was_never_opened(self):
        from selenium.common.exceptions import NoAlertPresentException
        with self.assertRaises(NoAlertPresentException):
            self.browser.driver.switch_to.alert.accept()


if __name__ == "__main__":
    unittest.main(verbosity=2)
