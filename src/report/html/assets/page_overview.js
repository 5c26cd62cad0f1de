// SPDX-License-Identifier: Apache-2.0
// The overview and the views that are one table each.

function overview_table(name, prefix) {
  const table = page.data.tables[name];
  return page.element("section", {}, page.element("h2", {}, table.title), page.element("p", { class: "note" }, table.note),
    page.table({ name, title: table.title, columns: table.columns, rows: table.rows, prefix }));
}

page.view("", () => {
  const root = page.element("div", { class: "overview" });
  for (const name of ["open", "promoted"])
    if (page.data.tables[name] && page.data.tables[name].rows.length > 0) root.append(overview_table(name, name + "."));
  return root;
}, { label: "Overview" });

for (const [name, label] of [["open", "Open"], ["promoted", "Promoted"], ["gates", "Gates"], ["baselines", "Baselines"], ["alarms", "Alarm rates"], ["changes", "Changes"], ["selftests", "Self-tests"], ["findings", "Findings"]])
  page.view(name, () => overview_table(name, ""), { label, count: (data) => (data.tables[name] ? data.tables[name].rows.length : null) });
