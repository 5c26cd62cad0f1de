// SPDX-License-Identifier: Apache-2.0
// The view #/profiles.

page.view("profiles", () => page.element("p", {}, "Nothing is recorded here."), { label: "Profiles" });
