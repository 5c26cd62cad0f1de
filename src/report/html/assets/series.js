// SPDX-License-Identifier: Apache-2.0
// The views #/series, a list of all courses, and #/series/ID, one course with its chart: ranges, hover, keys, the words
// about the chosen session.

const series_ranges = [20, 60];
const series_most_at_first = 200; // of a longer course its newest ones are shown first

// ---- one course ----

// What is shown of a course: sessions from..to, the chosen one. It starts with what the address says.
function series_view(course) {
  const count = course.points.length;
  const show = Number.parseInt(page.route.query.get("show"), 10);
  const from = show > 0 ? count - show : count > series_most_at_first && page.route.query.get("show") !== "all" ? count - series_most_at_first : 0;
  const run = page.route.query.get("run");
  const chosen = course.points.findIndex((point) => point.run === run);
  return { from: chosen >= 0 && chosen < from ? Math.max(0, chosen - 10) : Math.max(0, from), to: count, chosen: chosen >= 0 ? chosen : count - 1 };
}

function series_verdict_words(point) {
  const words = [point.verdict === "" ? "not judged" : point.verdict];
  if (point.accepted) words.push("accepted");
  if (point.begins) words.push("begins a new baseline");
  if (point.state === "imported") words.push("imported");
  if (point.incomplete) words.push("comparable to nothing: its key is incomplete");
  return words.join(", ");
}

function series_signed(ratio) {
  return (ratio < 0 ? "\u2212" : "+") + page.format.number(Math.abs(ratio), "share");
}

// How a value lies against the baseline of its moment.
function series_against(course, index) {
  const band = course.band[index];
  const { value } = course.points[index];
  if (band === null || !Number.isFinite(value) || !(band.median > 0)) return "";
  return `${series_signed(value / band.median - 1)} against the median of ${band.count} accepted`;
}

function series_value_words(course, index) {
  const { value } = course.points[index];
  return Number.isFinite(value) ? page.format.number(value, course.unit) : "no value";
}

function series_spoken(course, index) {
  const point = course.points[index];
  return [`session ${index + 1} of ${course.points.length}`, series_value_words(course, index), series_against(course, index), series_verdict_words(point), page.format.time(point.began), "run " + point.run].filter((words) => words !== "").join(", ");
}

// The words below a chart: everything of the chosen session.
function series_readout(course, index) {
  const point = course.points[index];
  const pair = (label, child) => page.element("div", {}, page.element("dt", {}, label), page.element("dd", {}, child));
  const against = series_against(course, index);
  const mark = page.svg("svg", { class: "key", width: 18, height: 16, viewBox: "-9 -8 18 16", "aria-hidden": "true" }, history_mark(point.state, 0, 0, 5));
  return page.element("dl", { class: "readout" },
    pair(`session ${index + 1} of ${course.points.length}`, page.run_link(point.run)),
    pair("value", [page.element("strong", {}, series_value_words(course, index)), against === "" ? null : page.element("span", { class: "note" }, " " + against)]),
    pair("verdict", [mark, series_verdict_words(point)]),
    pair("began", page.time(point.began)),
    pair("revision", point.revision === "" ? "unknown" : page.name(point.revision)),
    page.run_pages.has(point.run) ? null : pair("more", page.command("steelyard run show " + point.run)));
}

function series_legend(course) {
  const counts = new Map();
  for (const point of course.points) if (Number.isFinite(point.value)) counts.set(point.state, (counts.get(point.state) || 0) + 1);
  const items = history_states.filter(([state]) => counts.has(state)).map(([state, words]) => page.element("li", {},
    page.svg("svg", { class: "key", width: 18, height: 16, viewBox: "-9 -8 18 16", "aria-hidden": "true" }, history_mark(state, 0, 0, 5)), `${words} (${counts.get(state)})`));
  const missing = course.points.filter((point) => !Number.isFinite(point.value)).length;
  if (missing > 0) items.push(page.element("li", {}, `${missing} of the line without this value`));
  return page.element("ul", { class: "legend" }, items);
}

// What the picture says, in a sentence.
function series_summary(course) {
  const values = course.points.filter((point) => Number.isFinite(point.value));
  if (values.length === 0) return "no session has a value.";
  const last = values[values.length - 1];
  const words = [`${values.length} ${values.length === 1 ? "session" : "sessions"}, the newest ${page.format.number(last.value, course.unit)} (${series_verdict_words(last)})`];
  const now = course.accepted_now;
  if (now.length > 0) words.push(`the baseline has ${now.length} accepted, median ${page.format.number(series_median(now), course.unit)}, ${page.format.number(now[0], course.unit)} to ${page.format.number(now[now.length - 1], course.unit)}`);
  if (course.judged !== null && Number.isFinite(course.judged.threshold)) words.push(`threshold ${page.format.number(course.judged.threshold, course.unit)}`);
  const standing = course.changes.filter((change) => change.stands).length;
  if (standing > 0) words.push(standing === 1 ? "one change stands" : `${standing} changes stand`);
  return words.join("; ") + (course.higher ? "; more is better." : "; less is better.");
}

function series_table(course) {
  return {
    name: "course", title: "Sessions of " + course.label, prefix: "t.",
    columns: [{ name: "order", label: "#", kind: "number" }, { name: "run", label: "Run", kind: "run" }, { name: "began", label: "Began", kind: "time" },
      { name: "revision", label: "Revision", kind: "text" }, { name: "value", label: "Value", kind: "number", unit: course.unit },
      { name: "median", label: "Baseline median", kind: "number", unit: course.unit }, { name: "low", label: "Low", kind: "number", unit: course.unit },
      { name: "high", label: "High", kind: "number", unit: course.unit }, { name: "accepted", label: "Accepted in it", kind: "number" }, { name: "state", label: "State", kind: "word" }],
    rows: course.points.map((point, index) => {
      const band = course.band[index];
      return [index + 1, point.run, point.began, point.revision, Number.isFinite(point.value) ? point.value : null,
        band === null ? null : band.median, band === null ? null : band.low, band === null ? null : band.high, band === null ? 0 : band.count, series_verdict_words(point)];
    }),
  };
}

// The chart at work: picture, slider and readout that follow each other.
function series_chart(course) {
  const view = series_view(course);
  const state = { course, view, layout: null, host: page.element("div", { class: "canvas" }), width: 0, readout: page.element("div") };
  state.slider = page.element("input", { type: "range", class: "sessions", min: 0, max: Math.max(0, course.points.length - 1), step: 1, "aria-label": "Session of " + course.label,
    input: () => series_choose(state, Number(state.slider.value)), keydown: (event) => series_key(state, event) });
  state.ranges = page.element("div", { class: "ranges", role: "group", "aria-label": "Sessions shown" });
  const figure = page.chart({ title: "History", summary: series_summary(course), table: series_table(course), draw: (width) => {
    state.width = width;
    series_redraw(state);
    return state.host;
  } });
  series_pointer(state);
  series_choose(state, view.chosen);
  return page.element("div", { class: "course" }, state.ranges, figure, state.slider, series_legend(course), state.readout);
}

function series_redraw(state) {
  if (state.width > 0) {
    const drawn = history_draw(state.course, state.view, state.width);
    state.layout = drawn.layout;
    state.host.replaceChildren(drawn.svg);
    state.slider.style.marginInlineStart = Math.max(0, drawn.layout.left - 8) + "px";
    state.slider.style.width = drawn.layout.right - drawn.layout.left + 16 + "px";
  }
  state.slider.min = state.view.from;
  state.slider.max = state.view.to - 1;
  state.slider.value = state.view.chosen;
  series_put_ranges(state);
}

function series_choose(state, index) {
  const { view, course } = state;
  if (course.points.length === 0) return;
  view.chosen = Math.min(view.to - 1, Math.max(view.from, index));
  state.slider.value = view.chosen;
  state.slider.setAttribute("aria-valuetext", series_spoken(course, view.chosen));
  state.readout.replaceChildren(series_readout(course, view.chosen));
  const old = state.host.querySelector("g.chosen");
  if (old === null || state.layout === null) series_redraw(state);
  else old.replaceWith(history_chosen(course, view, state.layout));
}

// Shows the sessions from..to, within the course and at least five of them.
function series_range(state, from, to) {
  const count = state.course.points.length;
  const long = Math.min(count, Math.max(5, to - from));
  const begin = Math.min(Math.max(0, from), count - long);
  state.view.from = begin;
  state.view.to = begin + long;
  series_redraw(state);
  series_choose(state, state.view.chosen);
}

function series_show(state, show) {
  const count = state.course.points.length;
  page.route.query.set("show", show === count ? "all" : String(show));
  history.replaceState(null, "", page.address("series", page.route.id, Array.from(page.route.query)));
  series_range(state, count - show, count);
}

function series_put_ranges(state) {
  const count = state.course.points.length;
  const { from, to } = state.view;
  const choices = series_ranges.filter((show) => show < count).concat(count);
  if (choices.length < 2) return;
  if (state.ranges.childElementCount === 0)
    for (const show of choices) state.ranges.append(page.element("button", { type: "button", "data-show": show, click: () => series_show(state, show) }, show === count ? `all ${count}` : `last ${show}`));
  for (const button of state.ranges.children) button.setAttribute("aria-pressed", String(to === count && to - from === Number(button.dataset.show)));
}

// Keys of the slider besides its own: + and - zoom about the chosen session, Enter opens its page.
function series_key(state, event) {
  const { view, course } = state;
  const long = view.to - view.from;
  const run = course.points[view.chosen].run;
  if (event.key === "+" || event.key === "=") series_range(state, Math.round(view.chosen - long / 4), Math.round(view.chosen + long / 4));
  else if (event.key === "-") series_range(state, Math.floor(view.chosen - long), Math.ceil(view.chosen + long));
  else if (event.key === "ArrowLeft" && view.chosen === view.from && view.from > 0) series_pan(state, -1);
  else if (event.key === "ArrowRight" && view.chosen === view.to - 1 && view.to < course.points.length) series_pan(state, 1);
  else if (event.key === "Enter" && page.run_pages.has(run)) location.hash = page.address("run", run);
  else return;
  event.preventDefault();
}

// An arrow at the edge of what is shown moves that along.
function series_pan(state, step) {
  series_range(state, state.view.from + step, state.view.to + step);
  series_choose(state, state.view.chosen + step);
}

function series_at(state, event) {
  const box = state.host.getBoundingClientRect();
  return Math.floor(state.view.from + (event.clientX - box.left - state.layout.left) / state.layout.step);
}

// The pointer chooses the session that it is over; dragged along, it zooms to what it passed.
function series_pointer(state) {
  let begin = null;
  state.host.addEventListener("pointermove", (event) => {
    if (state.layout !== null) series_choose(state, series_at(state, event));
  });
  state.host.addEventListener("pointerdown", (event) => {
    if (state.layout === null || event.button !== 0) return;
    begin = event.clientX;
    series_choose(state, series_at(state, event));
  });
  state.host.addEventListener("pointerup", (event) => {
    const start = begin;
    begin = null;
    if (start === null || event.pointerType === "touch" || Math.abs(event.clientX - start) < 12) return;
    const ends = [series_at(state, { clientX: start }), series_at(state, event)].sort((a, b) => a - b);
    series_range(state, ends[0], ends[1] + 1);
  });
}

function series_change_table(course) {
  const place = (change) => (change.index < 0 ? "its session is not in this list" : `at session ${change.index + 1}`);
  return page.table({
    name: "changes", title: "Changes of " + course.label, prefix: "c.",
    columns: [{ name: "words", label: "Change", kind: "text" }, { name: "state", label: "State", kind: "word" }, { name: "place", label: "Where", kind: "text" },
      { name: "run", label: "First run after it", kind: "run" }, { name: "before", label: "Last run before it", kind: "run" }, { name: "command", label: "Look at it", kind: "command" }],
    rows: course.changes.map((change) => [change.words, change.state, place(change), change.run, change.before, change.command]),
  });
}

// Where a course belongs: cell, gate, device, and the other figures of its line.
function series_head(course) {
  const all = series_all();
  const others = all.by_line.get(all.series.line[course.index]).filter((index) => index !== course.index);
  const words = [["cell", "cell"], ["gate", "gate"], ["device", "device"]].map(([label, column]) => [label, series_text(column, course.index)]).filter(([, text]) => text !== "");
  const rows = words.map(([label, text]) => page.element("div", {}, page.element("dt", {}, label), page.element("dd", {}, page.name(text))));
  const shown = others.slice(0, 12).map((index) => page.element("li", {}, page.link(page.address("series", all.series.id[index]), page.name(series_text("label", index), 120))));
  if (others.length > shown.length) shown.push(page.element("li", {}, page.link(page.address("series", null, { cell: series_text("cell", course.index) }), `${others.length - shown.length} more`)));
  return page.element("div", {}, page.element("dl", { class: "facts" }, rows,
    page.element("div", {}, page.element("dt", {}, "command"), page.element("dd", {}, page.command("steelyard history " + all.series.lines[all.series.line[course.index]])))),
    shown.length === 0 ? null : [page.element("h3", {}, "Other figures of this line"), page.element("ul", { class: "links" }, shown)]);
}

function series_one(id) {
  const index = series_all().by_id.get(id);
  if (index === undefined)
    return page.element("section", {}, page.element("h2", {}, "No such series"), page.element("p", {}, "This page has no series ", page.name(id), ". ", page.link("#/series", "All series")));
  const course = series_course(index);
  const judged = course.judged === null ? null : page.element("p", {}, page.element("strong", {}, "Last verdict: " + course.judged.word), course.judged.reason === "" ? null : [". ", page.name(course.judged.reason)]);
  return page.element("section", { class: "series" }, page.element("h2", {}, page.long_name(course.label, 160)), judged, series_chart(course),
    page.element("p", { class: "note" }, "The band is the range of the accepted sessions before each one, since their baseline last began; the dashed line in it is their median. Sessions stand in the order in which they began."),
    course.changes.length === 0 ? null : [page.element("h3", {}, "Changes"), series_change_table(course)], series_head(course));
}
