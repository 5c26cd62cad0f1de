// SPDX-License-Identifier: Apache-2.0
// The matrix: capability by backend, a sign, a word and a colour a cell. Large ones are shown as a summary first.

const matrix_small = 40; // rows that the overview shows whole
const matrix_cells = 12000; // of the view at once
const matrix_standings = [
  ["measured", "every gate is measured"],
  ["partial", "some gates are measured"],
  ["gap", "nothing is measured"],
  ["unsupported", "the matrix says so, with a reason"],
  ["missing", "the matrix has no such cell"],
];

function matrix_legend(matrix) {
  return page.element("ul", { class: "legend" }, matrix_standings.filter(([word]) => matrix.counts[word] > 0).map(([word, text]) =>
    page.element("li", {}, page.word(word), page.element("span", { class: "quiet" }, page.format.count(matrix.counts[word]) + (matrix.counts[word] === 1 ? " cell: " : " cells: ") + text))));
}

function matrix_cell_name(matrix, row, column) {
  return matrix.capabilities[row] + " on " + matrix.backends[column];
}

// The gates of a cell where it has some, else where the reason stands.
function matrix_cell_route(matrix, row, column, cell) {
  return cell[2] > 0 ? page.address("gates", null, { cell: cell[5] }) : page.address("matrix", null, { q: matrix.capabilities[row] + " " + matrix.backends[column] });
}

function matrix_cell(matrix, row, column) {
  const cell = matrix.cells[row * matrix.backends.length + column];
  if (cell === null) return page.element("td", { class: "missing" }, page.word("missing"));
  const [standing, open, gates, reason] = cell;
  const said = matrix_cell_name(matrix, row, column) + ": " + standing + (gates > 0 ? ", " + open + " of " + gates + " gates open" : "") + (reason === "" ? "" : ". " + reason);
  return page.element("td", { class: standing },
    page.element("a", { href: matrix_cell_route(matrix, row, column, cell), title: page.shown(said).slice(0, 600) }, page.word(standing),
      open > 0 ? [" ", page.element("span", { class: "open" }, open), page.element("span", { class: "hidden-visually" }, " open")] : null));
}

function matrix_grid(matrix, rows) {
  return page.element("div", { class: "scroll matrix", tabindex: 0, role: "region", "aria-label": "Matrix of capabilities and backends" },
    page.element("table", {}, page.element("caption", { class: "hidden-visually" }, "What is measured of each capability on each backend, and how many gates are open"),
      page.element("thead", {}, page.element("tr", {}, page.element("th", { scope: "col" }, "Capability"), matrix.backends.map((backend) => page.element("th", { scope: "col" }, page.name(backend, 40))))),
      page.element("tbody", {}, rows.map((row) => page.element("tr", {}, page.element("th", { scope: "row" }, page.breakable(page.name(matrix.capabilities[row], 80))),
        matrix.backends.map((backend, column) => matrix_cell(matrix, row, column)))))));
}

// How many cells of each backend stand where.
function matrix_summary(matrix) {
  const rows = matrix.backends.map((backend, column) => {
    const counts = new Map(matrix_standings.map(([word]) => [word, 0]));
    let open = 0;
    for (let row = 0; row < matrix.capabilities.length; row++) {
      const cell = matrix.cells[row * matrix.backends.length + column];
      const word = cell === null ? "missing" : cell[0];
      counts.set(word, counts.get(word) + 1);
      open += cell === null ? 0 : cell[1];
    }
    return [[page.address("matrix", null, { backend }), backend], ...counts.values(), open];
  });
  const columns = [{ name: "backend", label: "Backend", kind: "link" },
    ...matrix_standings.map(([word]) => ({ name: word, label: word[0].toUpperCase() + word.slice(1), kind: "number" })),
    { name: "open", label: "Open gates", kind: "number" }];
  return page.table({ name: "matrix", title: "Cells of each backend", columns, rows, prefix: "matrix." });
}

// For the overview: the matrix itself, or what it comes to where it is long.
page.matrix_part = function (matrix) {
  const all = matrix.capabilities.map((name, row) => row);
  const is_small = all.length <= matrix_small && matrix.backends.length <= matrix_small;
  return page.element("section", { class: "part" }, page.element("h2", {}, page.link("#/matrix", "Matrix")), matrix_legend(matrix),
    is_small ? matrix_grid(matrix, all) : matrix_summary(matrix),
    is_small ? null : page.element("p", {}, page.link("#/matrix", page.format.count(all.length) + " capabilities, one by one")));
};

// Why each cell is no more than that.
function matrix_reasons(matrix) {
  const rows = [];
  matrix.cells.forEach((cell, at) => {
    if (cell === null || cell[0] === "measured") return;
    const row = Math.floor(at / matrix.backends.length), column = at % matrix.backends.length;
    rows.push([cell[0], matrix.capabilities[row], matrix.backends[column], cell[1], cell[2] > 0 ? [page.address("gates", null, { cell: cell[5] }), String(cell[2])] : "0", cell[3], cell[4]]);
  });
  return page.table({ name: "reasons", title: "Cells that are not measured, and why", rows, empty: "Every cell is measured.", columns: [
    { name: "standing", label: "Standing", kind: "word" }, { name: "capability", label: "Capability", kind: "text" },
    { name: "backend", label: "Backend", kind: "word" }, { name: "open", label: "Open gates", kind: "number" },
    { name: "gates", label: "Gates", kind: "link" }, { name: "reason", label: "Reason", kind: "text" }, { name: "next", label: "Next gate", kind: "text" }] });
}

page.view("matrix", (route, data) => {
  const matrix = data.matrix;
  if (matrix === null) return page.element("div", {}, page.element("h2", {}, "Matrix"), page.element("p", {}, "The matrix could not be read: see the findings."));
  const holder = page.element("div");
  const field = page.element("input", { type: "search", placeholder: "Capabilities that contain", "aria-label": "Capabilities that contain", autocomplete: "off", input: () => draw() });
  const draw = () => {
    const typed = field.value.toLowerCase();
    const rows = matrix.capabilities.map((name, row) => row).filter((row) => matrix.capabilities[row].toLowerCase().includes(typed));
    const shown = rows.slice(0, Math.max(20, Math.floor(matrix_cells / matrix.backends.length)));
    holder.replaceChildren(page.element("p", { class: "count", role: "status" }, page.format.count(shown.length) + " of " + page.format.count(matrix.capabilities.length) + " capabilities"), matrix_grid(matrix, shown));
  };
  draw();
  return page.element("div", {},
    page.element("section", { class: "part" }, page.element("h2", {}, "Matrix"), matrix_legend(matrix), matrix.capabilities.length > matrix_small ? page.element("div", { class: "tools" }, field) : null, holder),
    page.element("section", { class: "part" }, page.element("h2", {}, "Cells that are not measured, and why"), matrix_reasons(matrix)));
}, { label: "Matrix", shown: (data) => data.matrix !== null });

page.findable("cell", (data) => {
  if (data.matrix === null) return [];
  const { capabilities, backends, cells } = data.matrix;
  const names = [];
  cells.forEach((cell, at) => {
    if (cell !== null && cell[2] > 0) names.push([cell[5], page.address("gates", null, { cell: cell[5] })]);
  });
  return names.concat(capabilities.map((name) => [name, page.address("matrix", null, { q: name })]), backends.map((name) => [name, page.address("matrix", null, { backend: name })]));
});
