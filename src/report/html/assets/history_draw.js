// SPDX-License-Identifier: Apache-2.0
// The picture of one course: value line, marks, the baseline's envelope, threshold, changes, revisions. It draws what
// history_course gives and knows nothing of routes, keys or data blocks.

// How a session looks, the one that matters most first: class, words for people.
const history_states = [
  ["block", "blocked"],
  ["investigate", "to be investigated"],
  ["accepted", "accepted"],
  ["pass", "passed"],
  ["plain", "not judged"],
  ["imported", "imported"],
];

// Shapes as paths about 0, 0: no two states share one, so that no colour is needed to tell them apart.
function history_shape(state, r) {
  const s = r * 0.95;
  switch (state) {
    case "block":
      return `M${-s},${-s}H${s}V${s}H${-s}Z`;
    case "investigate":
      return `M0,${-r * 1.25}L${r * 1.15},${r * 0.85}H${-r * 1.15}Z`;
    case "imported":
      return `M${-s},${-s}L${s},${s}M${-s},${s}L${s},${-s}`;
    case "plain":
      return `M0,${-r * 1.1}L${r * 1.1},0L0,${r * 1.1}L${-r * 1.1},0Z`;
    default:
      return `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`;
  }
}

function history_mark(state, x, y, r) {
  return page.svg("path", { class: "mark " + state, d: history_shape(state, r), transform: `translate(${history_px(x)} ${history_px(y)})` });
}

function history_px(value) {
  return Math.round(value * 10) / 10;
}

function history_line(kind, x1, y1, x2, y2) {
  return page.svg("line", { class: kind, x1: history_px(x1), y1: history_px(y1), x2: history_px(x2), y2: history_px(y2) });
}

function history_label(kind, x, y, anchor, text) {
  return page.svg("text", { class: kind, x: history_px(x), y: history_px(y), "text-anchor": anchor }, text);
}

// Room and scales of a picture of that width for the sessions from..to (the last one not included).
function history_layout(course, view, width) {
  const wide = width >= 640;
  const height = wide ? 340 : 290;
  const values = [];
  for (let i = view.from; i < view.to; i++) {
    if (Number.isFinite(course.points[i].value)) values.push(course.points[i].value);
    const band = course.band[i];
    if (band !== null) values.push(band.low, band.high);
  }
  const threshold = course.judged === null ? NaN : course.judged.threshold;
  if (Number.isFinite(threshold) && values.length > 0) values.push(threshold);
  const top = 34;
  const bottom = height - 50;
  const scale = scale_of(values, course.unit, top, bottom);
  const letters = Math.max(3, ...scale.ticks.map((tick) => tick.text.length));
  const left = Math.min(96, 14 + letters * 7);
  const right = width - (wide ? 128 : 14);
  const count = view.to - view.from;
  const step = (right - left) / Math.max(1, count);
  const place = (index) => left + (index - view.from + 0.5) * step;
  return { width, height, wide, top, bottom, left, right, step, count, scale, threshold, place };
}

function history_grid(layout) {
  const group = page.svg("g", { class: "grid" });
  for (const tick of layout.scale.ticks) {
    const y = layout.scale.place(tick.value);
    group.append(history_line("rule", layout.left, y, layout.right, y), history_label("tick", layout.left - 7, y + 4, "end", tick.text));
  }
  const title = [layout.scale.title, layout.scale.note].filter((words) => words !== "").join(", ");
  group.append(history_label("tick", 4, 13, "start", title));
  return group;
}

// Which sessions are labelled below, and where: every step-th one counted from the newest, none over another.
function history_labelled(layout, view) {
  const step = Math.max(1, Math.ceil(scale_step(layout.count, Math.max(1, Math.floor((layout.right - layout.left) / 88)))));
  const half = 34; // pixels of a date
  const list = [];
  let free = Infinity;
  for (let index = view.to - 1; index >= view.from; index -= step) {
    const x = layout.place(index);
    const at = Math.min(Math.max(x, half + 2), layout.width - half - 2);
    if (at + half + 8 > free) continue;
    list.unshift({ index, x, at });
    free = at - half;
  }
  return list;
}

function history_below(course, view, layout) {
  const group = page.svg("g", { class: "below" }, history_line("axis", layout.left, layout.bottom, layout.right, layout.bottom));
  let day = "";
  for (const { index, x, at } of history_labelled(layout, view)) {
    const point = course.points[index];
    const [date, time] = history_date(point.began);
    group.append(history_line("axis", x, layout.bottom, x, layout.bottom + 5));
    group.append(history_label("tick", at, layout.bottom + 19, "middle", date === day ? time : date));
    group.append(history_label("tick faint", at, layout.bottom + 34, "middle", page.shown(history_revision(point.revision))));
    day = date;
  }
  return group;
}

function history_date(utc_s) {
  if (!(utc_s > 0)) return ["no date", ""];
  const text = new Date(utc_s * 1000).toISOString();
  return [text.slice(0, 10), text.slice(11, 16)];
}

// The first digits of a revision, with a sign where the sources had changed since.
function history_revision(revision) {
  const [commit, changed] = revision.split("+");
  return commit.slice(0, 8) + (changed === undefined ? "" : "+");
}

// Where the revision changes: thin lines, unless there are so many that they would hide the course.
function history_boundaries(course, view, layout) {
  const group = page.svg("g", { class: "boundaries" });
  const places = [];
  for (let i = view.from + 1; i < view.to; i++)
    if (course.points[i].revision !== course.points[i - 1].revision) places.push(layout.place(i) - layout.step / 2);
  const long = places.length <= (layout.right - layout.left) / 24;
  for (const x of places) group.append(history_line("boundary", x, long ? layout.top : layout.bottom - 6, x, layout.bottom));
  return group;
}

// The envelope as it stood when each session came: a stepped band, with its median in it.
function history_envelope(course, view, layout) {
  const group = page.svg("g", { class: "envelope" });
  let upper = "";
  let lower = "";
  let median = "";
  const close = () => {
    if (upper !== "") group.append(page.svg("path", { class: "band", d: "M" + upper.slice(1) + lower + "Z" }));
    [upper, lower] = ["", ""];
  };
  for (let i = view.from; i < view.to; i++) {
    const band = course.band[i];
    if (band === null || (i > view.from && band.begins)) close();
    if (band === null) continue;
    const [x1, x2] = [history_px(layout.place(i) - layout.step / 2), history_px(layout.place(i) + layout.step / 2)];
    const [y1, y2, y] = [band.high, band.low, band.median].map((value) => history_px(layout.scale.place(value)));
    median += (upper === "" ? "M" : "L") + `${x1},${y}H${x2}`;
    upper += `L${x1},${y1}L${x2},${y1}`;
    lower = `L${x2},${y2}L${x1},${y2}` + lower;
  }
  close();
  if (median !== "") group.append(page.svg("path", { class: "median", d: median }));
  return group;
}

// The values in their order; over sessions without one they are joined by dots.
function history_values(course, view, layout) {
  let path = "";
  let gaps = "";
  let pen = "";
  let missed = false;
  for (let i = view.from; i < view.to; i++) {
    const value = course.points[i].value;
    if (!Number.isFinite(value)) {
      missed = true;
      continue;
    }
    const here = `${history_px(layout.place(i))},${history_px(layout.scale.place(value))}`;
    if (missed && pen !== "") gaps += `M${pen}L${here}`;
    path += `${pen === "" || missed ? "M" : "L"}${here}`;
    pen = here;
    missed = false;
  }
  return page.svg("g", {}, gaps === "" ? null : page.svg("path", { class: "course gap", d: gaps }), page.svg("path", { class: "course", d: path }));
}

// Marks; where sessions stand closer than marks are wide, only those that matter keep theirs.
function history_marks(course, view, layout) {
  const group = page.svg("g", { class: "marks" });
  const calm = layout.step < 4.5;
  const radius = layout.step >= 14 ? 4.6 : layout.step >= 7 ? 3.8 : 3;
  for (let i = view.from; i < view.to; i++) {
    const point = course.points[i];
    const x = layout.place(i);
    if (!Number.isFinite(point.value)) {
      if (!calm) group.append(history_line("missing", x, layout.bottom - 5, x, layout.bottom));
      continue;
    }
    const loud = point.state === "block" || point.state === "investigate";
    if (calm && !loud) continue;
    group.append(history_mark(point.state, x, layout.scale.place(point.value), loud ? Math.max(radius, 4.6) : radius));
    if (layout.scale.beyond(point.value)) group.append(history_beyond(point, course, x, layout));
  }
  return group;
}

// A value beyond the scale: what it is, beside its mark at the edge.
function history_beyond(point, course, x, layout) {
  const y = layout.scale.place(point.value);
  const left = x > (layout.left + layout.right) / 2;
  return history_label("direct", x + (left ? -9 : 9), y + 4, left ? "end" : "start", page.format.number(point.value, course.unit));
}

// Labels that stand for themselves at the right edge, pushed apart where they would overlap.
function history_direct(course, view, layout) {
  const group = page.svg("g", { class: "directs" });
  const band = course.band[view.to - 1] ?? null;
  const list = [];
  if (Number.isFinite(layout.threshold)) list.push(["threshold", layout.threshold]);
  if (band !== null && band.count > 1) list.push(["median", band.median]);
  if (Number.isFinite(layout.threshold)) {
    const y = layout.scale.place(layout.threshold);
    group.append(history_line("threshold", layout.place(Math.max(view.from, course.baseline_from)) - layout.step / 2, y, layout.right, y));
  }
  if (!layout.wide) return group;
  let last = -Infinity;
  for (const [word, value] of list.sort((a, b) => b[1] - a[1])) {
    const y = Math.max(layout.scale.place(value) + 4, last + 15);
    group.append(history_label("direct", layout.right + 8, y, "start", word + " " + page.format.number(value, course.unit)));
    last = y;
  }
  return group;
}

// Changes of the history as lines, each with its number and, where there is room, its effect; new baselines likewise.
function history_changes(course, view, layout) {
  const group = page.svg("g", { class: "changes" });
  let free = -Infinity;
  course.changes.forEach((change, index) => {
    if (change.index < view.from || change.index >= view.to) return;
    const x = layout.place(change.index) - layout.step / 2;
    const kind = (change.worse ? "worse" : "better") + (change.stands ? "" : " gone");
    group.append(history_line("change " + kind, x, layout.top - 4, x, layout.bottom));
    const words = layout.wide ? change.effect + ", " + change.state : change.effect;
    const long = words.length * 6.6;
    const anchor = x + long > layout.width ? "end" : "start";
    const begin = anchor === "start" ? x : x - long;
    if (begin < free) return;
    group.append(history_label("change " + kind, x + (anchor === "start" ? 1 : -1), layout.top - 9, anchor, words));
    free = begin + long + 10;
  });
  return group;
}

function history_chosen(course, view, layout) {
  const group = page.svg("g", { class: "chosen" });
  const point = course.points[view.chosen];
  if (point === undefined || view.chosen < view.from || view.chosen >= view.to) return group;
  const x = layout.place(view.chosen);
  group.append(history_line("cross", x, layout.top, x, layout.bottom));
  if (Number.isFinite(point.value))
    group.append(page.svg("circle", { class: "ring", cx: history_px(x), cy: history_px(layout.scale.place(point.value)), r: 8.5 }));
  return group;
}

// The whole picture of the sessions that view shows, with the layout by which pointers find sessions.
function history_draw(course, view, width) {
  const layout = history_layout(course, view, width);
  const { height } = layout;
  const svg = page.svg("svg", { class: "history", width, height, viewBox: `0 0 ${width} ${height}` });
  svg.append(history_envelope(course, view, layout), history_grid(layout), history_boundaries(course, view, layout));
  svg.append(history_below(course, view, layout), history_direct(course, view, layout), history_changes(course, view, layout));
  svg.append(history_values(course, view, layout), history_marks(course, view, layout), history_chosen(course, view, layout));
  return { svg, layout };
}
