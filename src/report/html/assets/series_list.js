// SPDX-License-Identifier: Apache-2.0
// The rows of #/series: each course in a line with a small picture, which is drawn for the rows on view alone.

const spark_width = 132;
const spark_height = 30;
const series_label_letters = 110;

// The values of a course in their order, the newest one marked as the chart marks it.
function series_spark(index) {
  const values = series_all().series.values[index];
  const sessions = series_sessions(index);
  const label = `${values.length} ${values.length === 1 ? "session" : "sessions"}`;
  const svg = page.svg("svg", { class: "spark", width: spark_width, height: spark_height, viewBox: `0 0 ${spark_width} ${spark_height}`, role: "img", "aria-label": label });
  const scale = scale_of(values, "", 6, spark_height - 6);
  const place = (at) => 6 + ((at + 0.5) / values.length) * (spark_width - 12);
  const many = Math.ceil(values.length / spark_width);
  let path = "";
  values.forEach((value, at) => {
    if (at % many === 0 || at === values.length - 1) path += `${path === "" ? "M" : "L"}${history_px(place(at))},${history_px(scale.place(value))}`;
  });
  svg.append(page.svg("path", { class: "course", d: path }));
  sessions.forEach((session, at) => {
    const state = series_state(session);
    const loud = state === "block" || state === "investigate";
    if (at === values.length - 1 || (loud && values.length <= spark_width)) svg.append(history_mark(state, place(at), scale.place(values[at]), loud ? 3.4 : 2.8));
  });
  return svg;
}

// What stands for a series in words: the last verdict on it, else what its newest session is.
function series_word(index, last) {
  const judged = series_all().judged.get(index);
  if (judged !== undefined) return judged.word;
  const state = series_state(last);
  return state === "plain" ? "not judged" : state;
}

const series_columns = [
  { name: "series", label: "Series", kind: "link", cell: (value) => page.link(value[0], page.breakable(page.name(value[1], series_label_letters))) },
  { name: "course", label: "Course", kind: "picture", cell: (value) => series_spark(value) },
  { name: "newest", label: "Newest", kind: "number", cell: (value, row) => page.format.number(value, row[9]) },
  { name: "against", label: "Against median", kind: "number", cell: (value) => (value === null ? "-" : series_signed(value)) },
  { name: "state", label: "State", kind: "word" },
  { name: "sessions", label: "Sessions", kind: "number" },
  { name: "began", label: "Newest session", kind: "time" },
  { name: "cell", label: "Cell", kind: "word" },
  { name: "gate", label: "Gate", kind: "word" },
];

// In the order of the columns, then the unit.
function series_row(index) {
  const all = series_all();
  const sessions = series_sessions(index);
  const values = all.series.values[index];
  const last = sessions.length - 1;
  const judged = all.judged.get(index);
  const against = judged !== undefined && judged.median > 0 && Number.isFinite(judged.value) ? judged.value / judged.median - 1 : null;
  return [[page.address("series", all.series.id[index]), series_text("label", index)], index, last < 0 ? null : values[last], against,
    last < 0 ? "" : series_word(index, sessions[last]), values.length, last < 0 ? null : all.began[sessions[last]],
    series_text("cell", index), series_text("gate", index), series_text("unit", index)];
}

function series_list() {
  const all = series_all();
  const rows = all.count === 0 ? [] : all.series.id.map((id, index) => series_row(index));
  const points = all.count === 0 ? 0 : all.series.point_count;
  return page.element("section", {}, page.element("h2", {}, "Series"),
    page.element("p", { class: "note" }, `${page.format.count(all.count)} series with ${page.format.count(points)} values. A series is one figure over the sessions whose comparison keys agree in every field but the revision.`),
    page.table({ name: "series", title: "Series", columns: series_columns, rows, empty: "No session has measured anything yet." }));
}

page.view("series", (route) => (route.id === null ? series_list() : series_one(route.id)), {
  label: "Series",
  shown: (data) => data.series.id.length > 0 || data.head !== null,
  count: (data) => data.series.id.length,
});

page.findable("series", () => {
  const all = series_all();
  return all.count === 0 ? [] : all.series.id.map((id, index) => [series_text("label", index) + " - " + series_text("cell", index), page.address("series", id)]);
});
