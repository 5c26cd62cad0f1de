# SPDX-License-Identifier: Apache-2.0
"""page_paint.py PAGE...: how soon a browser shows a page: first paint, whole document, data at hand and memory of its
script, the middle of five fresh starts. Beside it a page of one paragraph, for what the browser itself takes.
Run by hand: SOURCE_DIR=. STEELYARD=build/release/steelyard /usr/bin/python3 bench/page_paint.py FILE..."""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/browser"))
import browser  # noqa: E402

FIGURES = ("first paint ms", "document ms", "data ms", "script memory MB")
TRIES = 5


def figures_of(page):
    window = browser.Browser()
    try:
        window.open(page)
        window.wait("document.readyState === 'complete' && performance.getEntriesByType('paint').length > 0", "painted")
        window.wait("document.querySelector('#steelyard-data') === null || "
                    "document.documentElement.dataset.ready === 'true'", "data at hand")
        return window.script("""
            const paint = performance.getEntriesByType('paint').find(e => e.name === 'first-contentful-paint');
            const ready = performance.getEntriesByName('steelyard-ready')[0];
            return [paint.startTime, performance.getEntriesByType('navigation')[0].domComplete,
                    ready ? ready.startTime : 0, performance.memory.usedJSHeapSize / 1e6]""")
    finally:
        window.close()


def main():
    plain = browser.WORK / "plain.html"
    plain.write_text("<!doctype html><meta charset=utf-8><title>plain</title><p>A page of one paragraph.")
    print(f"{'page':<40}{'MB':>8}" + "".join(f"{name:>20}" for name in FIGURES))
    for page in [plain, *map(pathlib.Path, sys.argv[1:])]:
        tries = [figures_of(page.resolve()) for _ in range(TRIES)]
        middle = [statistics.median(values) for values in zip(*tries)]
        print(f"{page.name:<40}{page.stat().st_size / 1e6:>8.2f}" + "".join(f"{value:>20.1f}" for value in middle))


main()
