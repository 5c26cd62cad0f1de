// SPDX-License-Identifier: Apache-2.0
// The view #/decision.

page.view("decision", () => page.element("p", {}, "Nothing is recorded here."));
