// SPDX-License-Identifier: Apache-2.0
// The view #/run.

page.view("run", () => page.element("p", {}, "Nothing is recorded here."));
