// SPDX-License-Identifier: Apache-2.0
// Courses out of the columns of the data block, each made when it is first asked for: the sessions of its line in their
// order, values, the envelope of the baseline, the changes. Draws nothing.

const series_flags = { accepted: 1, begins: 2, raised: 4, imported: 8, incomplete: 16 };
const series_baseline_least = 2; // accepted sessions that span a range

let series_kept = null;

// What is worked out once: running sums of the sessions' columns, and series by id and by line.
function series_all() {
  if (series_kept !== null) return series_kept;
  const sessions = page.data.sessions;
  const series = page.data.series;
  const sum = (list) => { let at = 0; return list.map((step) => (at += step)); };
  series_kept = { count: 0, sessions, series, number: [], began: [], by_id: new Map(), by_line: new Map(), by_run: null, courses: new Map() };
  if (!sessions || !series) return series_kept;
  series_kept.count = series.id.length;
  series_kept.number = sum(sessions.number);
  series_kept.began = sum(sessions.began);
  series.id.forEach((id, index) => {
    series_kept.by_id.set(id, index);
    const line = series.line[index];
    if (!series_kept.by_line.has(line)) series_kept.by_line.set(line, []);
    series_kept.by_line.get(line).push(index);
  });
  series_kept.judged = new Map(series.judged.map((judged) => [judged.series, judged]));
  series_kept.changed = new Map();
  for (const [index, change] of series.changes) series_kept.changed.set(index, (series_kept.changed.get(index) || []).concat(change));
  return series_kept;
}

// A text of a series: label, cell, gate, device, unit, name, case, implementation, statistic.
function series_text(column, index) {
  const { series } = series_all();
  return series.names[series[column][index]];
}

// Indexes of the sessions of a series, from the differences that are written.
function series_sessions(index) {
  let at = 0;
  return series_all().series.sessions[index].map((step) => (at += step));
}

function series_verdict(session) {
  const { sessions } = series_all();
  return sessions.verdict[session] === 0 ? "" : sessions.verdict_words[sessions.verdict[session] - 1];
}

// How a session is marked: what matters most of it.
function series_state(session) {
  const flags = series_all().sessions.flags[session];
  const verdict = series_verdict(session);
  if (verdict === "block" || verdict === "investigate") return verdict;
  if (flags & series_flags.imported) return "imported";
  if (flags & series_flags.accepted) return "accepted";
  return verdict === "pass" ? "pass" : "plain";
}

function series_point(session, value) {
  const all = series_all();
  const flags = all.sessions.flags[session];
  return {
    session,
    value,
    run: all.sessions.run[session],
    number: all.number[session],
    began: all.began[session],
    revision: all.sessions.revisions[all.sessions.revision[session]],
    state: series_state(session),
    verdict: series_verdict(session),
    accepted: (flags & series_flags.accepted) !== 0,
    begins: (flags & series_flags.begins) !== 0,
    raised: (flags & series_flags.raised) !== 0,
    incomplete: (flags & series_flags.incomplete) !== 0,
  };
}

// All sessions of the line, in their order: one without a value for this series is there with NaN.
function series_points(index) {
  const all = series_all();
  const values = new Map();
  series_sessions(index).forEach((session, at) => values.set(session, all.series.values[index][at]));
  const union = new Set();
  for (const other of all.by_line.get(all.series.line[index])) for (const session of series_sessions(other)) union.add(session);
  return Array.from(union).sort((a, b) => a - b).map((session) => series_point(session, values.get(session) ?? NaN));
}

function series_insert(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  sorted.splice(low, 0, value);
}

// The median of sorted values, none left out.
function series_median(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// For each session the accepted ones before it, since the baseline last began: {low, high, median, count, begins}, or
// null where fewer than two are there.
function series_envelope(points) {
  const band = [];
  let sorted = [];
  let begins = false;
  let from = 0;
  points.forEach((point, index) => {
    if (sorted.length < series_baseline_least) band.push(null);
    else {
      band.push({ low: sorted[0], high: sorted[sorted.length - 1], median: series_median(sorted), count: sorted.length, begins });
      begins = false;
    }
    if (point.begins) [sorted, begins, from] = [[], true, index];
    if (point.accepted && Number.isFinite(point.value)) series_insert(sorted, point.value);
  });
  return { band, from, now: sorted };
}

function series_changes(index, points) {
  const all = series_all();
  const at = new Map(points.map((point, place) => [point.run, place]));
  const list = [];
  for (const change of all.changed.get(index) || []) {
    const said = page.data.changes[change];
    list.push({ index: at.has(said.run) ? at.get(said.run) : -1, ...said });
  }
  return list.sort((a, b) => a.index - b.index);
}

// One course whole, as history_draw takes it.
function series_course(index) {
  const all = series_all();
  if (all.courses.has(index)) return all.courses.get(index);
  const points = series_points(index);
  const envelope = series_envelope(points);
  const course = {
    index,
    id: all.series.id[index],
    label: series_text("label", index),
    unit: series_text("unit", index),
    higher: all.series.higher_is_better[index] === 1,
    points,
    band: envelope.band,
    baseline_from: envelope.from,
    accepted_now: envelope.now,
    judged: all.judged.get(index) || null,
    changes: series_changes(index, points),
  };
  all.courses.set(index, course);
  return course;
}

// The series in which a run has a value: [index, place among its sessions].
function series_of_run(run) {
  const all = series_all();
  if (all.count === 0) return [];
  if (all.by_run === null) all.by_run = new Map(all.sessions.run.map((name, session) => [name, session]));
  const wanted = all.by_run.get(run);
  const found = [];
  for (let index = 0; wanted !== undefined && index < all.count; index++) {
    const place = series_sessions(index).indexOf(wanted);
    if (place >= 0) found.push([index, place]);
  }
  return found;
}
