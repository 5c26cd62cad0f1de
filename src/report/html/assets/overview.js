// SPDX-License-Identifier: Apache-2.0
// The overview below the first screen, and the views that are one table of the dashboard each.

const overview_tables = ["open", "promoted", "gates", "baselines", "alarms", "changes", "selftests", "findings"];
const overview_labels = { open: "Open", promoted: "Promoted", gates: "Gates", baselines: "Baselines", alarms: "Alarm rates", changes: "Changes", selftests: "Self-tests", findings: "Findings" };

// A share as a bar on the same ground in each row, with the promise as a mark.
function overview_bar(value, most, promise, is_bad) {
  const width = (share) => Math.max(0, Math.min(100, 100 * share / most));
  return page.svg("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    page.svg("rect", { class: "ground", width: 100, height: 10 }),
    page.svg("rect", { class: "value" + (is_bad ? " bad" : ""), width: width(value), height: 10 }),
    promise === null ? null : page.svg("line", { class: "promise", x1: width(promise), x2: width(promise), y1: 0, y2: 10, "vector-effect": "non-scaling-stroke" }));
}

function overview_share_cell(most, promise, is_bad) {
  return (value, row) => (value === null ? "-" : page.element("span", {}, page.format.number(value, "share"), overview_bar(value, most, promise(row), is_bad(row))));
}

// Columns that are drawn otherwise than by their kind.
function overview_columns(name, table) {
  const place = (column) => table.columns.findIndex((one) => one.name === column);
  const cells = new Map();
  if (name === "alarms") {
    const standing = place("standing"), promised = place("promised"), observed = place("observed");
    const most = Math.max(0.05, ...table.rows.map((row) => Math.max(row[observed] || 0, row[promised] || 0)));
    cells.set("observed", overview_share_cell(most, (row) => row[promised], (row) => row[standing] === "exceeds"));
  }
  if (name === "selftests") {
    const planted = place("planted"), promised = place("promised");
    cells.set("planted", (value) => (value === 0 ? "none" : page.format.number(value, "share")));
    cells.set("alarmed", overview_share_cell(1, () => null, () => false));
    cells.set("blocked", overview_share_cell(1, (row) => row[promised], (row) => row[planted] === 0 && row[promised] !== null && row[place("blocked")] > row[promised]));
  }
  return table.columns.map((column) => (cells.has(column.name) ? { ...column, cell: cells.get(column.name) } : column));
}

// The course of the figure on which a run's verdict rests, as a small picture that leads to it.
function overview_course(run) {
  const found = series_of_run(run);
  if (found.length === 0) return null;
  const [index] = found.find(([one]) => series_all().series.primary[one]) || found[0];
  return page.element("a", { href: page.address("series", series_all().series.id[index]), "aria-label": "Course of " + page.shown(series_text("label", index)).slice(0, 120) }, series_spark(index));
}

// The columns and rows of a table, where it is about runs with a course behind the second column.
function overview_with_course(name, table) {
  const columns = overview_columns(name, table);
  const run = columns.findIndex((column) => column.name === "run");
  if ((name !== "open" && name !== "promoted") || page.data.series === null || page.data.counts.series === 0) return { columns, rows: table.rows };
  const put = (list, value) => [...list.slice(0, 2), value, ...list.slice(2)];
  return { columns: put(columns, { name: "course", label: "Course", kind: "picture", cell: overview_course }), rows: table.rows.map((row) => put(row, row[run])) };
}

function overview_table(name, prefix, size) {
  const table = page.data.tables[name];
  return page.table({ name, title: table.title, ...overview_with_course(name, table), prefix, empty: table.empty, size });
}

function overview_part(name) {
  const table = page.data.tables[name];
  return page.element("section", { class: "part" }, page.element("h2", {}, page.link("#/" + name, table.title)), page.element("p", { class: "note" }, table.note), overview_table(name, name + ".", 10));
}

// The tables that the overview does not show, with what they hold in a sentence.
function overview_cards(data) {
  const cards = ["gates", "baselines", "alarms", "changes", "selftests", "findings"].filter((name) => data.tables[name] !== undefined);
  return page.element("ul", { class: "cards" }, cards.map((name) => {
    const table = data.tables[name];
    return page.element("li", {}, page.element("h3", {}, page.link("#/" + name, table.title)),
      page.element("p", {}, table.rows.length === 0 ? table.empty : page.name(table.summary)));
  }));
}

page.view("", (route, data) => {
  const root = page.element("div", { class: "overview" });
  for (const name of ["open", "promoted"])
    if (data.tables[name] !== undefined && (name === "promoted" || data.tables[name].rows.length > 0)) root.append(overview_part(name));
  if (data.matrix !== null) root.append(page.matrix_part(data.matrix));
  if (data.head !== null || data.decisions.length === 0) root.append(overview_cards(data));
  else root.append(data.decisions.length === 1 ? page.decision_part(data.decisions[0]) : page.decisions_part());
  return root;
}, { label: "Overview" });

for (const name of overview_tables)
  page.view(name, (route, data) => {
    const table = data.tables[name];
    if (table === undefined) return page.element("div", {}, page.element("h2", {}, overview_labels[name]), page.element("p", {}, "This page is not of a project: there is nothing of this kind."));
    return page.element("section", {}, page.element("h2", {}, table.title), page.element("p", { class: "note" }, table.note), overview_table(name, ""));
  }, { label: overview_labels[name], shown: (data) => data.tables[name] !== undefined, count: (data) => data.tables[name].rows.length });

page.findable("gate", (data) => {
  const table = data.tables.gates;
  if (table === undefined) return [];
  const place = table.columns.findIndex((column) => column.name === "gate");
  return table.rows.map((row, at) => [row[place], page.address("gates", null, { row: at + 1 })]);
});
