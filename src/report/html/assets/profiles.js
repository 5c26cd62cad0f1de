// SPDX-License-Identifier: Apache-2.0
// The views #/profiles, what a store keeps, and #/profiles/ID, one of them with its alternatives and what it replaced.

function profiles_place(table, name) {
  return table.columns.findIndex((column) => column.name === name);
}

// The row and what stands behind it, by the id in the address.
function profiles_find(profiles, id) {
  const at = profiles.table.rows.findIndex((row) => row[profiles_place(profiles.table, "id")] === id);
  return at < 0 ? null : { row: profiles.table.rows[at], whole: profiles.details[at] };
}

// Rows whose id has become the address of its profile, behind the name of what is used.
function profiles_table(table) {
  const id = profiles_place(table, "id"), policy = profiles_place(table, "policy");
  const columns = table.columns.filter((column, at) => at !== id).map((column) => (column.name === "policy" ? { ...column, kind: "link" } : column));
  const rows = table.rows.map((row) => row.map((value, at) => (at === policy ? [page.address("profiles", row[id]), value === "" ? "(empty)" : value] : value)).filter((value, at) => at !== id));
  return page.table({ name: "profiles", title: table.title, columns, rows, empty: "Nothing is stored yet: steelyard probe OPERATION --save." });
}

function profiles_list(profiles) {
  return page.element("section", {}, page.element("h2", {}, profiles.table.title),
    page.element("p", {}, page.name(profiles.table.summary)), page.element("p", { class: "note" }, profiles.table.note), profiles_table(profiles.table),
    page.element("section", { class: "part files" }, page.element("h3", {}, profiles.layers.title), page.element("p", { class: "note" }, profiles.layers.note),
      page.table({ name: "layers", title: profiles.layers.title, columns: profiles.layers.columns, rows: profiles.layers.rows, prefix: "layers.", empty: "The store has no file: decisions are kept in memory." })));
}

// The gain as a bar from its lower to its upper bound, a mark at the estimate, and the line of no gain. words: the same.
function profiles_interval(gain, words) {
  const left = Math.min(0, gain.low, gain.value), right = Math.max(0.01, gain.high, gain.value);
  const x = (value) => 8 + 284 * (value - left) / (right - left);
  return page.svg("svg", { class: "interval", viewBox: "0 0 300 24", width: 300, height: 24, role: "img", "aria-label": "Gain " + words },
    page.svg("line", { class: "axis", x1: 8, x2: 292, y1: 12, y2: 12 }),
    page.svg("line", { class: "zero", x1: x(0), x2: x(0), y1: 2, y2: 22 }),
    page.svg("line", { class: "range", x1: x(gain.low), x2: x(gain.high), y1: 12, y2: 12 }),
    page.svg("circle", { class: "mark", cx: x(gain.value), cy: 12, r: 5 }));
}

function profiles_fields(found, value) {
  const term = (label, content) => page.element("div", {}, page.element("dt", {}, label), page.element("dd", {}, content));
  const list = page.element("dl", { class: "fields" }, term("Kind", page.word(value("kind"))), term("Standing", page.word(value("standing"))), term("Evidence", page.word(value("evidence"))));
  for (const [label, text] of found.whole.fields) {
    const picture = label === "Gain" && found.whole.gain !== null ? profiles_interval(found.whole.gain, text) : null;
    list.append(term(label === "Evidence" ? "Its run" : label, page.element("span", {}, page.long_name(text, 240), picture)));
  }
  if (page.run_pages.has(value("run"))) list.append(term("Its page", page.run_link(value("run"))));
  for (const [name, label] of [["created", "Stored"], ["expires", "Until"]])
    if (value(name) !== null) list.append(term(label, page.time(value(name))));
  return list;
}

function profiles_part(table, prefix) {
  if (table.rows.length === 0) return null;
  return page.element("section", { class: "part" }, page.element("h3", {}, table.title), table.note === "" ? null : page.element("p", { class: "note" }, table.note),
    page.table({ name: table.title, title: table.title, columns: table.columns, rows: table.rows, prefix }));
}

function profiles_one(profiles, found) {
  const value = (name) => found.row[profiles_place(profiles.table, name)];
  return page.element("section", { class: "profile" }, page.element("p", {}, page.link("#/profiles", "All stored profiles")),
    page.element("h2", {}, page.name(value("policy"), 120), " for ", page.name(value("operator"), 120)),
    profiles_fields(found, value), profiles_part(found.whole.alternatives, "alternatives."), profiles_part(found.whole.earlier, "earlier."));
}

page.view("profiles", (route, data) => {
  const nothing = (text) => page.element("section", {}, page.element("h2", {}, "Stored profiles"), page.element("p", {}, text));
  if (data.profiles === null) return nothing("No store was looked into for this page.");
  if (route.id === null) return profiles_list(data.profiles);
  const found = profiles_find(data.profiles, route.id);
  return found === null ? nothing("There is no such profile on this page.") : profiles_one(data.profiles, found);
}, { label: "Profiles", shown: (data) => data.profiles !== null, count: (data) => data.profiles.table.rows.length });

page.findable("profile", (data) => {
  if (data.profiles === null) return [];
  const place = (name) => profiles_place(data.profiles.table, name);
  return data.profiles.table.rows.map((row) => [row[place("policy")] + " for " + row[place("operator")], page.address("profiles", row[place("id")])]);
});
