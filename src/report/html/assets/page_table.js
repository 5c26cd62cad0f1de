// SPDX-License-Identifier: Apache-2.0
// Tables: found by text, filtered by columns of few words, sorted, shown a page at a time. What is chosen stands in the
// address, so that it can be sent.

const table_page_size = 50;
const table_filter_words = 20; // a column of more different words has no filter

// spec: {name, title, note, columns: [{name, label, kind, unit, cell(value, row) -> node}], rows: arrays in the order of
// the columns, prefix: of this table's words in the address, "" = none}. kind: text, word, number, time, link, run,
// command.
page.table = function (spec) {
  const table = {
    spec,
    prefix: spec.prefix || "",
    texts: null,
    body: page.element("tbody"),
    status: page.element("p", { class: "count", role: "status", "aria-live": "polite" }),
    pager: page.element("nav", { class: "pager", "aria-label": "Pages of " + spec.title }),
    heads: [],
  };
  const region = page.element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": spec.title },
    page.element("table", { class: "data" }, page.element("caption", { class: "hidden-visually" }, spec.title),
      page.element("thead", {}, page.element("tr", {}, spec.columns.map((column) => table_head(table, column)))), table.body));
  const root = page.element("div", { class: "table" }, table_tools(table), table.status, region, table.pager);
  table_draw(table);
  return root;
};

function table_parameter(table, name) {
  return page.route.query.get(table.prefix + name) || "";
}

function table_choose(table, name, value) {
  const query = page.route.query;
  if (value === "") query.delete(table.prefix + name);
  else query.set(table.prefix + name, value);
  if (name !== "page") query.delete(table.prefix + "page");
  history.replaceState(null, "", page.address(page.route.name, page.route.id, Array.from(query)));
  table_draw(table);
}

function table_text(value) {
  return value === null || value === undefined ? "" : Array.isArray(value) ? String(value[1]) : String(value);
}

function table_words(spec, index) {
  const words = new Set();
  for (const row of spec.rows) {
    words.add(table_text(row[index]));
    if (words.size > table_filter_words) return [];
  }
  return words.size > 1 ? Array.from(words).sort() : [];
}

function table_tools(table) {
  const search = page.element("input", { type: "search", placeholder: "Search this table", "aria-label": "Search " + table.spec.title, input: () => table_choose(table, "q", search.value) });
  search.value = table_parameter(table, "q");
  const filters = [];
  table.spec.columns.forEach((column, index) => {
    const words = column.kind === "word" ? table_words(table.spec, index) : [];
    if (words.length === 0) return;
    const select = page.element("select", { change: () => table_choose(table, column.name, select.value) },
      page.element("option", { value: "" }, "any"), words.map((word) => page.element("option", { value: word }, word === "" ? "(none)" : page.shown(word))));
    select.value = table_parameter(table, column.name);
    filters.push(page.element("label", {}, column.label + " ", select));
  });
  return page.element("div", { class: "tools" }, search, filters);
}

function table_head(table, column) {
  const button = page.element("button", { type: "button", click: () => {
    const now = table_parameter(table, "sort");
    table_choose(table, "sort", now === column.name ? "-" + column.name : now === "-" + column.name ? "" : column.name);
  } }, column.label);
  const head = page.element("th", { scope: "col", class: column.kind }, button);
  table.heads.push(head);
  return head;
}

function table_chosen(table) {
  const { columns, rows } = table.spec;
  const words = table_parameter(table, "q").toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (table.texts === null && words.length > 0) table.texts = rows.map((row) => row.map(table_text).join("\n").toLowerCase());
  const filters = columns.map((column, index) => [index, table_parameter(table, column.name)]).filter(([, word]) => word !== "");
  const chosen = [];
  for (let i = 0; i < rows.length; i++)
    if (words.every((word) => table.texts[i].includes(word)) && filters.every(([index, word]) => table_text(rows[i][index]) === word)) chosen.push(i);
  return table_sorted(table, chosen);
}

function table_sorted(table, chosen) {
  const sort = table_parameter(table, "sort");
  const index = table.spec.columns.findIndex((column) => column.name === sort.replace(/^-/, ""));
  table.heads.forEach((head, at) => head.setAttribute("aria-sort", at !== index ? "none" : sort.startsWith("-") ? "descending" : "ascending"));
  if (index < 0) return chosen;
  const sign = sort.startsWith("-") ? -1 : 1;
  const value = (i) => { const cell = table.spec.rows[i][index]; return Array.isArray(cell) ? cell[1] : cell; };
  return chosen.sort((a, b) => {
    const x = value(a), y = value(b);
    if (x === null || y === null) return (x === null) - (y === null) || a - b;
    return (x < y ? -sign : x > y ? sign : a - b);
  });
}

function table_cell(column, value, row) {
  if (column.cell) return page.element("td", { class: column.kind }, column.cell(value, row));
  if (value === null || value === "") return page.element("td", { class: column.kind });
  let shown;
  if (column.kind === "number") shown = page.format.number(value, column.unit);
  else if (column.kind === "time") shown = page.time(value);
  else if (column.kind === "command") shown = page.command(value);
  else if (column.kind === "run") shown = page.run_link(value);
  else if (Array.isArray(value)) shown = page.link(value[0], value[1]);
  else shown = page.name(value);
  return page.element("td", { class: column.kind, "data-word": column.kind === "word" ? value : null }, shown);
}

function table_draw(table) {
  const chosen = table_chosen(table);
  const { columns, rows } = table.spec;
  const pages = Math.max(1, Math.ceil(chosen.length / table_page_size));
  const at = Math.min(pages, Math.max(1, Number.parseInt(table_parameter(table, "page"), 10) || 1));
  const shown = chosen.slice((at - 1) * table_page_size, at * table_page_size);
  table.body.replaceChildren(...shown.map((i) => page.element("tr", {}, columns.map((column, index) => table_cell(column, rows[i][index], rows[i])))));
  table.status.textContent = chosen.length === rows.length ? page.format.count(rows.length) + (rows.length === 1 ? " row" : " rows")
    : page.format.count(chosen.length) + " of " + page.format.count(rows.length) + " rows";
  table.pager.hidden = pages === 1;
  const step = (text, to) => page.element("button", { type: "button", disabled: to < 1 || to > pages, click: () => table_choose(table, "page", to === 1 ? "" : String(to)) }, text);
  table.pager.replaceChildren(step("Previous", at - 1), page.element("span", {}, "page " + at + " of " + pages), step("Next", at + 1));
}

// The id of a run: a link where it has a page of its own.
page.run_link = function (run) {
  return page.run_pages !== undefined && page.run_pages.has(run) ? page.link(page.address("run", run), run) : page.name(run);
};
