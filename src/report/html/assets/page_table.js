// SPDX-License-Identifier: Apache-2.0
// Tables: found by text, filtered by columns of few words, sorted, shown a page at a time. What is chosen stands in the
// address, so that it can be sent.

const table_page_size = 50;
const table_filter_words = 20; // a column of more different words has no filter
const table_tools_from = 8; // rows: fewer need no search
const table_cell_letters = 240;
const table_wide_letters = 36; // a column that holds so long a text is given room, ...
const table_wider_letters = 72; // ... or more of it

// spec: {name, title, note, columns: [{name, label, kind, unit, cell(value, row) -> node}], rows: arrays in the order of
// the columns, prefix: of this table's words in the address ("" = none), empty: what stands there without rows, size:
// rows of a page}. kind: text, word, number, time, link, run, command.
page.table = function (asked) {
  const spec = table_without_empty(asked);
  if (spec.rows.length === 0) return page.element("p", { class: "table" }, spec.empty || "There are none.");
  const table = {
    spec,
    prefix: spec.prefix || "",
    size: spec.size || table_page_size,
    texts: null, // of the rows, once something is searched
    heads: [],
    classes: [],
    body: page.element("tbody"),
    status: page.element("p", { class: "count", role: "status" }),
    pager: page.element("nav", { class: "pager", "aria-label": "Pages of " + spec.title }),
    at: 1,
    pages: 1,
  };
  table.classes = spec.columns.map((column, index) => table_class(table, index));
  const head = page.element("tr", {}, page.element("td", { class: "here" }), spec.columns.map((column) => table_head(table, column)));
  const region = page.element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": spec.title, keydown: (event) => table_key(table, event) },
    page.element("table", { class: "data" }, page.element("caption", { class: "hidden-visually" }, spec.title),
      page.element("thead", {}, head), table.body));
  const root = page.element("div", { class: "table" }, spec.rows.length >= table_tools_from || table_is_narrowed(table) ? table_tools(table) : null, table.status, region, table.pager);
  table_draw(table);
  return root;
};

function table_is_empty(value) {
  return value === null || value === undefined || value === "" || (Array.isArray(value) && value[1] === "");
}

// The classes of a column's cells.
function table_class(table, index) {
  const column = table.spec.columns[index];
  if (column.cell || (column.kind !== "text" && column.kind !== "link")) return column.kind;
  const longest = Math.max(...table.spec.rows.slice(0, 200).map((row) => table_text(row[index]).length));
  return column.kind + (longest > table_wider_letters ? " wider" : longest > table_wide_letters ? " wide" : "");
}

function table_without_empty(spec) {
  const kept = spec.columns.map((column, index) => index).filter((index) => spec.columns[index].keep || spec.rows.some((row) => !table_is_empty(row[index])));
  if (kept.length === spec.columns.length) return spec;
  return { ...spec, columns: kept.map((index) => spec.columns[index]), rows: spec.rows.map((row) => kept.map((index) => row[index])), whole: spec.rows };
}

// ---- what is chosen

function table_parameter(table, name) {
  return page.route.query.get(table.prefix + name) || "";
}

function table_is_narrowed(table) {
  return table_parameter(table, "q") !== "" || table.spec.columns.some((column) => table_parameter(table, column.name) !== "");
}

function table_choose(table, name, value) {
  const query = page.route.query;
  if (value === "") query.delete(table.prefix + name);
  else query.set(table.prefix + name, value);
  if (name !== "page") query.delete(table.prefix + "page");
  query.delete(table.prefix + "row");
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

// Indexes of the rows that are asked for, in the order that is asked for.
function table_chosen(table) {
  const { columns, rows } = table.spec;
  const words = table_parameter(table, "q").toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (table.texts === null && words.length > 0) table.texts = rows.map((row) => row.map(table_text).join("\n").toLowerCase());
  const filters = columns.map((column, index) => [index, table_parameter(table, column.name)]).filter(([, word]) => word !== "");
  const chosen = [];
  for (let i = 0; i < rows.length; i++)
    if (words.every((word) => table.texts[i].includes(word)) &&
      filters.every(([index, word]) => table_text(rows[i][index]) === (word === "\u0000" ? "" : word))) chosen.push(i);
  return table_sorted(table, chosen);
}

// Rows without a value come last, whichever way; equal ones stay in their order.
function table_sorted(table, chosen) {
  const sort = table_parameter(table, "sort");
  const index = table.spec.columns.findIndex((column) => column.name === sort.replace(/^-/, ""));
  table.heads.forEach((head, at) => {
    if (at === index) head.setAttribute("aria-sort", sort.startsWith("-") ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  if (index < 0) return chosen;
  const sign = sort.startsWith("-") ? -1 : 1;
  const values = table.spec.rows.map((row) => (Array.isArray(row[index]) ? row[index][1] : row[index]));
  return chosen.sort((a, b) => {
    const x = values[a], y = values[b];
    if (table_is_empty(x) || table_is_empty(y)) return table_is_empty(x) - table_is_empty(y) || a - b;
    return x < y ? -sign : x > y ? sign : a - b;
  });
}

// ---- above the rows

function table_tools(table) {
  const search = page.element("input", { type: "search", placeholder: "Search this table", "aria-label": "Search: " + table.spec.title,
    autocomplete: "off", spellcheck: "false", input: () => table_choose(table, "q", search.value) });
  search.value = table_parameter(table, "q");
  const filters = [];
  table.spec.columns.forEach((column, index) => {
    const words = column.kind === "word" ? table_words(table.spec, index) : [];
    const chosen = table_parameter(table, column.name);
    if (words.length === 0 && chosen === "") return;
    if (words.length === 0) {
      filters.push(table_narrowing(table, column, chosen));
      return;
    }
    if (chosen !== "" && chosen !== "\u0000" && !words.includes(chosen)) words.push(chosen);
    const select = page.element("select", { change: () => table_choose(table, column.name, select.value) }, page.element("option", { value: "" }, "any"),
      words.map((word) => page.element("option", { value: word === "" ? "\u0000" : word }, word === "" ? "(none)" : page.shown(word).slice(0, 60))));
    select.value = chosen;
    filters.push(page.element("label", {}, column.label + " ", select));
  });
  return page.element("div", { class: "tools" }, search, filters);
}

// What the address asks of a column that has no list: said, and taken back by a button.
function table_narrowing(table, column, chosen) {
  const button = page.element("button", { type: "button", "aria-label": "Any " + column.label, click: () => {
    button.remove();
    table_choose(table, column.name, "");
  } }, column.label + ": ", page.name(chosen, 60), " \u00d7");
  return button;
}

function table_head(table, column) {
  const next = () => {
    const now = table_parameter(table, "sort");
    return now === column.name ? "-" + column.name : now === "-" + column.name ? "" : column.name;
  };
  const head = page.element("th", { scope: "col", class: column.kind },
    page.element("button", { type: "button", click: () => table_choose(table, "sort", next()) }, column.label));
  table.heads.push(head);
  return head;
}

// ---- the rows

function table_value(column, value, row) {
  if (column.cell) return column.cell(value, row);
  if (value === null || value === undefined || value === "") return column.kind === "number" ? "-" : null;
  if (column.kind === "number") return page.format.number(value, column.unit);
  if (column.kind === "time") return page.time(value);
  if (column.kind === "command") return page.command(value);
  if (column.kind === "run") return page.run_link(value);
  if (column.kind === "word") return page.word(value);
  if (column.kind === "digest") return page.digest(value);
  if (Array.isArray(value)) return page.link(value[0], page.breakable(page.name(value[1], table_cell_letters)));
  return page.long_name(value, table_cell_letters);
}

function table_row(table, index) {
  const { columns, rows, whole, title } = table.spec;
  const address = page.address(page.route.name, page.route.id, [...Array.from(page.route.query).filter(([name]) => name !== table.prefix + "row"), [table.prefix + "row", index + 1]]);
  return page.element("tr", { tabindex: -1, "data-row": index + 1, class: table_parameter(table, "row") === String(index + 1) ? "chosen" : null },
    page.element("td", { class: "here" }, page.element("a", { href: address, "aria-label": "Row " + (index + 1) + " of " + title, tabindex: -1 }, "#")),
    columns.map((column, at) => page.element("td", { class: table.classes[at] }, table_value(column, rows[index][at], (whole || rows)[index]))));
}

// Which page: the one that the address names, or that has the row which it names.
function table_page(table, chosen) {
  const row = Number.parseInt(table_parameter(table, "row"), 10) - 1;
  const place = Number.isNaN(row) ? -1 : chosen.indexOf(row);
  if (place >= 0) return Math.floor(place / table.size) + 1;
  return Math.min(table.pages, Math.max(1, Number.parseInt(table_parameter(table, "page"), 10) || 1));
}

function table_draw(table) {
  const chosen = table_chosen(table);
  const total = table.spec.rows.length;
  table.pages = Math.max(1, Math.ceil(chosen.length / table.size));
  table.at = table_page(table, chosen);
  const first = (table.at - 1) * table.size;
  const shown = chosen.slice(first, first + table.size);
  if (shown.length > 0) table.body.replaceChildren(...shown.map((index) => table_row(table, index)));
  else table.body.replaceChildren(page.element("tr", {}, page.element("td", { class: "nothing", colspan: table.spec.columns.length + 1 },
"No row is like that.")));
  const rows = page.format.count(chosen.length) + (chosen.length === total ? "" : " of " + page.format.count(total)) + (total === 1 ? " row" : " rows");
  table.status.textContent = rows + (table.pages > 1 ? ", " + page.format.count(first + 1) + " to " + page.format.count(first + shown.length) + " shown" : "");
  table_draw_pager(table);
}

function table_draw_pager(table) {
  const step = (text, to) => page.element("button", { type: "button", disabled: to < 1 || to > table.pages || to === table.at, click: () => table_turn(table, to) }, text);
  table.pager.hidden = table.pages === 1;
  table.pager.replaceChildren(step("First", 1), step("Previous", table.at - 1),
    page.element("span", {}, "page " + table.at + " of " + table.pages), step("Next", table.at + 1), step("Last", table.pages));
}

function table_turn(table, to) {
  if (to < 1 || to > table.pages) return;
  const was_in_pager = table.pager.contains(document.activeElement);
  const was_in_rows = table.body.contains(document.activeElement);
  table_choose(table, "page", to === 1 ? "" : String(to));
  if (was_in_rows) table.body.firstElementChild.focus();
  else if (was_in_pager) table.body.closest(".scroll").focus({ preventScroll: true });
}

// ---- keys: j, k and arrows walk the rows, n and p the pages, Enter follows the first link of a row

function table_key(table, event) {
  if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const rows = Array.from(table.body.children);
  const at = rows.indexOf(document.activeElement.closest("tr"));
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  if (step !== undefined) {
    const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 && step < 0 ? rows.length - 1 : at + step))];
    if (next !== undefined) next.focus();
  } else if (event.key === "n" || event.key === "p") table_turn(table, table.at + (event.key === "n" ? 1 : -1));
  else if (event.key === "Enter" && event.target.tagName === "TR") {
    const link = event.target.querySelector("td:not(.here) a");
    if (link !== null) link.click();
  } else return;
  event.preventDefault();
}
