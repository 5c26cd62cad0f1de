// SPDX-License-Identifier: Apache-2.0
// The view #/series.

page.view("series", () => page.element("p", {}, "Nothing is recorded here."), { label: "Series" });
