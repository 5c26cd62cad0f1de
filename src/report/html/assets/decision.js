// SPDX-License-Identifier: Apache-2.0
// The view #/decision/ID: what a probe found, round by round, and the view #/decision: all of them. Sentences come with
// the data; what is drawn is what the rule was fed.

const decision_many = 240; // marks, above which they are small

function decision_find(id) {
  return page.data.decisions.find((one) => one.id === id);
}

function decision_median(sorted) {
  const half = sorted.length / 2;
  return Number.isInteger(half) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[Math.floor(half)];
}

function decision_insert(sorted, value) {
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  sorted.splice(low, 0, value);
}

// The median of all usable gains so far, after each round; null before the first.
function decision_running(gains) {
  const sorted = [];
  return gains.map((gain) => {
    if (gain !== null) decision_insert(sorted, gain);
    return sorted.length === 0 ? null : decision_median(sorted);
  });
}

// As the rule counted it: a gain that equals what is asked for but for rounding is no win.
function decision_won(rounds, index) {
  return rounds.wins[index] > (index > 0 ? rounds.wins[index - 1] : 0);
}

// ---- pictures

function decision_frame(kind, width, height) {
  return page.svg("svg", { class: "decision " + kind, width, height, viewBox: `0 0 ${width} ${height}` });
}

// Ticks of rounds below, counted from 1.
function decision_rounds_axis(svg, layout, count) {
  svg.append(history_line("axis", layout.left, layout.bottom, layout.right, layout.bottom));
  const step = Math.max(1, scale_step(count, Math.max(2, Math.floor((layout.right - layout.left) / 60))));
  for (let n = step; n <= count; n += step) svg.append(history_label("tick", layout.x(n - 1), layout.bottom + 16, "middle", page.format.count(n)));
  if (step > 1) svg.append(history_label("tick", layout.x(0), layout.bottom + 16, "middle", "1"));
}

function decision_values_axis(svg, layout, ticks, text) {
  for (const tick of ticks) {
    const y = layout.y(tick.value);
    svg.append(history_line("rule", layout.left, y, layout.right, y), history_label("tick", layout.left - 7, y + 4, "end", text(tick)));
  }
}

function decision_path(values, layout) {
  let path = "";
  let pen = false;
  values.forEach((value, index) => {
    if (value === null) {
      pen = false;
      return;
    }
    path += `${pen ? "L" : "M"}${history_px(layout.x(index))},${history_px(layout.y(value))}`;
    pen = true;
  });
  return path;
}

// A circle: the reference ran first; a square: the candidate did.
function decision_mark(x, y, r, reference_first, kind) {
  if (reference_first) return page.svg("circle", { class: kind, cx: history_px(x), cy: history_px(y), r });
  return page.svg("rect", { class: kind, x: history_px(x - r * 0.9), y: history_px(y - r * 0.9), width: 1.8 * r, height: 1.8 * r });
}

function decision_range(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const pad = Math.max((high - low) * 0.08, 0.002);
  return [low - pad, high + pad];
}

// Far ones stand at the edge: the bulk and the threshold are what is looked at.
function decision_span(rounds) {
  const gains = rounds.gain.filter((gain) => gain !== null);
  const bulk = gains.length > 2 ? scale_bulk(gains) : null;
  const shown = bulk === null ? gains : gains.filter((gain) => gain >= bulk.low && gain <= bulk.high);
  return decision_range([...shown, rounds.threshold, 0]);
}

function decision_gain_layout(rounds, width) {
  const height = width >= 640 ? 300 : 250;
  const [low, high] = decision_span(rounds);
  const [top, bottom, left, right] = [16, height - 28, 58, width - 16];
  const count = Math.max(1, rounds.gain.length);
  return { low, high, top, bottom, left, right, height,
    x: (index) => left + ((index + 0.5) / count) * (right - left),
    y: (value) => bottom - ((Math.min(Math.max(value, low), high) - low) / (high - low)) * (bottom - top) };
}

// The interval that the answer rests on, as a band behind the last quarter.
function decision_interval(decision, layout) {
  if (decision.gain_low === null && decision.gain_high === null) return null;
  const high = layout.y(decision.gain_high === null ? layout.high : decision.gain_high);
  const low = layout.y(decision.gain_low === null ? layout.low : decision.gain_low);
  return page.svg("rect", { class: "band", x: layout.left, y: history_px(high), width: layout.right - layout.left, height: history_px(Math.max(1, low - high)) });
}

function decision_gain_draw(decision, width) {
  const { rounds } = decision;
  const layout = decision_gain_layout(rounds, width);
  const svg = decision_frame("gains", width, layout.height);
  const most = Math.max(2, Math.floor((layout.bottom - layout.top) / 40));
  const interval = decision_interval(decision, layout);
  if (interval !== null) svg.append(interval);
  decision_values_axis(svg, layout, scale_linear_ticks(layout.low, layout.high, most, 0.01), (tick) => tick.text + " %");
  decision_rounds_axis(svg, layout, rounds.gain.length);
  svg.append(history_line("zero", layout.left, layout.y(0), layout.right, layout.y(0)),
    history_line("threshold", layout.left, layout.y(rounds.threshold), layout.right, layout.y(rounds.threshold)),
    history_label("direct threshold", layout.right, layout.y(rounds.threshold) - 6, "end", "asked for: " + page.format.number(rounds.threshold, "share")));
  svg.append(page.svg("path", { class: "course", d: decision_path(decision_running(rounds.gain), layout) }));
  const r = rounds.gain.length > decision_many ? 1.6 : 3.6;
  rounds.gain.forEach((gain, index) => {
    const x = layout.x(index);
    if (gain === null) svg.append(history_line("missing", x, layout.bottom - 6, x, layout.bottom));
    else svg.append(decision_mark(x, layout.y(gain), r, rounds.reference_first[index] === 1, decision_won(rounds, index) ? "mark won" : "mark lost"));
  });
  return svg;
}

// Wins after each round, and how many would have ended it.
function decision_wins_draw(rounds, width) {
  const height = width >= 640 ? 240 : 210;
  const count = Math.max(1, rounds.gain.length, Math.min(rounds.most, Math.ceil(rounds.gain.length * 1.25)));
  const [top, bottom, left, right] = [16, height - 28, 58, width - 16];
  const layout = { top, bottom, left, right, x: (index) => left + ((index + 0.5) / count) * (right - left), y: (value) => bottom - (value / count) * (bottom - top) };
  const svg = decision_frame("wins", width, height);
  decision_values_axis(svg, layout, scale_linear_ticks(0, count, Math.max(2, Math.floor((bottom - top) / 40)), 1).filter((tick) => Number.isInteger(tick.value)), (tick) => tick.text);
  decision_rounds_axis(svg, layout, count);
  for (const [name, words] of [["needed", "enough wins"], ["given_up", "too few wins"]]) {
    if (rounds[name] === null) continue;
    const line = rounds[name].slice(0, count);
    const last = line.length - 1;
    svg.append(page.svg("path", { class: "bound " + name, d: decision_path(line, layout) }));
    if (last >= 0 && line[last] !== null) svg.append(history_label("direct " + name, right, layout.y(line[last]) + (name === "needed" ? -7 : 16), "end", words));
  }
  svg.append(page.svg("path", { class: "course", d: decision_path(rounds.wins, layout) }));
  if (rounds.wins.length > 0) {
    const last = rounds.wins.length - 1;
    svg.append(page.svg("circle", { class: "mark won", cx: layout.x(last), cy: layout.y(rounds.wins[last]), r: 4.5 }));
  }
  return svg;
}

// ---- one case a row

const decision_row = 34;

function decision_case_gains(decision) {
  const { pairs } = decision;
  const gains = decision.cases.rows.map(() => []);
  pairs.gain.forEach((gain, index) => {
    if (pairs.final[index] === 1 && gain !== null && pairs.unusable[index] === "" && gains[pairs.case[index]] !== undefined) gains[pairs.case[index]].push([gain, pairs.reference_first[index] === 1]);
  });
  return gains;
}

function decision_cases_draw(decision, gains, width) {
  const labels = Math.min(190, width * 0.34);
  const height = gains.length * decision_row + 34;
  const svg = decision_frame("cases", width, height);
  const all = gains.flat().map((one) => one[0]);
  const bulk = all.length > 2 ? scale_bulk(all) : null;
  const [low, high] = decision_range([...all.filter((gain) => bulk === null || (gain >= bulk.low && gain <= bulk.high)), 0, decision.rounds.threshold]);
  const [left, right, bottom] = [labels + 8, width - 16, height - 30];
  const x = (value) => left + ((Math.min(Math.max(value, low), high) - low) / (high - low)) * (right - left);
  for (const tick of scale_linear_ticks(low, high, Math.max(2, Math.floor((right - left) / 70)), 0.01))
    svg.append(history_line("rule", x(tick.value), 6, x(tick.value), bottom), history_label("tick", x(tick.value), bottom + 16, "middle", tick.text + " %"));
  svg.append(history_line("zero", x(0), 6, x(0), bottom));
  gains.forEach((list, index) => {
    const y = index * decision_row + decision_row / 2 + 2;
    const name = page.shown(decision.cases.rows[index][0]);
    const letters = Math.max(4, Math.floor(labels / 7));
    svg.append(history_label("direct", labels, y + 4, "end", name.length > letters ? name.slice(0, letters - 1) + "\u2026" : name));
    for (const [gain, reference_first] of list) svg.append(decision_mark(x(gain), y, list.length > decision_many ? 1.6 : 3, reference_first, gain > 0 ? "mark won faint" : "mark lost faint"));
    if (list.length > 0) {
      const middle = decision_median(list.map((one) => one[0]).sort((a, b) => a - b));
      svg.append(history_line("middle", x(middle), y - 10, x(middle), y + 10));
    }
  });
  return svg;
}

// ---- tables behind the pictures

function decision_rounds_table(decision) {
  const { rounds } = decision;
  return {
    name: "rounds", title: "Rounds", prefix: "r.",
    columns: [{ name: "round", label: "Round", kind: "number" }, { name: "saved", label: "Saved", kind: "number", unit: "share" }, { name: "first", label: "Ran first", kind: "word" },
      { name: "won", label: "Above what is asked for", kind: "word" }, { name: "wins", label: "Wins so far", kind: "number" }, { name: "needed", label: "Enough wins", kind: "number" }],
    rows: rounds.gain.map((gain, n) => [n + 1, gain, rounds.reference_first[n] === 1 ? "reference" : "candidate", gain === null ? "unusable" : decision_won(rounds, n) ? "yes" : "no", rounds.wins[n], rounds.needed === null ? null : rounds.needed[n]]),
  };
}

function decision_pairs_table(decision) {
  const { pairs } = decision;
  const named = (rows, index) => (rows[index] === undefined ? "" : rows[index][0]);
  return {
    name: "pairs", title: "Every pair", prefix: "p.",
    columns: [{ name: "phase", label: "Phase", kind: "word" }, { name: "round", label: "Round", kind: "number" }, { name: "case", label: "Case", kind: "word" }, { name: "candidate", label: "Candidate", kind: "word" },
      { name: "first", label: "Ran first", kind: "word" }, { name: "reference", label: "Reference", kind: "number", unit: decision.unit }, { name: "value", label: "Candidate's", kind: "number", unit: decision.unit },
      { name: "saved", label: "Saved", kind: "number", unit: "share" }, { name: "unusable", label: "Unusable", kind: "word" }, { name: "process", label: "Process", kind: "number" }],
    rows: pairs.round.map((round, i) => [pairs.final[i] === 1 ? "final" : "halving", round + 1, named(decision.cases.rows, pairs.case[i]), named(decision.candidates.rows.slice(1), pairs.candidate[i]),
      pairs.reference_first[i] === 1 ? "reference" : "candidate", pairs.reference[i], pairs.value[i], pairs.gain[i], pairs.unusable[i], pairs.process[i] + 1]),
    empty: "No pair was timed.",
  };
}

// ---- the view

function decision_part(title, ...children) {
  return page.element("section", {}, page.element("h3", {}, title), ...children);
}

// What the boundaries of the wins end: with several cases, enough wins alone end nothing.
function decision_ending(decision) {
  const { rounds } = decision;
  if (rounds.needed === null) return "this rule has no boundary";
  if (rounds.not_slower) return "enough of them show that it is not slower";
  if (decision.cases.rows.length < 2) return "the rule stops where the line meets a boundary";
  return "enough of them end it once each case is shown not to be too slow and the medians agree; too few end it if there never were enough; a case shown to be too slow ends it at any time";
}

function decision_pictures(decision) {
  const { rounds } = decision;
  if (rounds.gain.length === 0) return page.element("p", { class: "note" }, "No round was complete: there is nothing to draw.");
  const against = decision.finalist === null ? "" : ` of ${page.shown(decision.finalist)} against ${page.shown(decision.reference)}`;
  const usable = rounds.gain.filter((gain) => gain !== null).length;
  const parts = [page.chart({ title: "What each round saved" + against, summary: `${usable} usable rounds; circles ran the reference first, squares the candidate; filled ones are above what is asked for. The line is the median so far, the band the interval of the answer.`,
    table: decision_rounds_table(decision), draw: (width) => decision_gain_draw(decision, width) }),
  page.chart({ title: "Wins", summary: `${rounds.won} of ${rounds.gain.length} rounds saved more than ${page.format.number(rounds.threshold, "share")}; ${decision_ending(decision)}.`,
    table: decision_rounds_table(decision), draw: (width) => decision_wins_draw(rounds, width) })];
  const gains = decision_case_gains(decision);
  if (gains.length > 1)
    parts.push(page.chart({ title: "Case by case", summary: "One dot a pair of the final; the bar is the median of the case.", table: decision_pairs_table(decision), draw: (width) => decision_cases_draw(decision, gains, width) }));
  return parts;
}

// All but what the first screen of a page of one decision says already.
page.decision_part = function (decision) {
  return page.element("section", { class: "decision" }, decision.stored === "" ? null : page.element("p", {}, page.name(decision.stored)), decision_pictures(decision), decision_tables(decision));
};

function decision_tables(decision) {
  return [
    decision_part("Implementations", page.table({ ...decision.candidates, prefix: "i." })),
    decision_part("Cases", page.table({ ...decision.cases, prefix: "c." })),
    decision_part("How it was measured", page.element("dl", { class: "facts" }, decision.facts.map(([label, words]) => page.element("div", {}, page.element("dt", {}, label), page.element("dd", {}, page.name(words))))),
      decision.notes.length === 0 ? null : page.element("ul", { class: "note" }, decision.notes.map((note) => page.element("li", {}, page.name(note))))),
    decision_part("Every pair", page.table(decision_pairs_table(decision))),
  ];
}

function decision_one(decision) {
  const sentences = ["finding", "of_cases", "left_out", "of_parity", "error", "advice"].map((name) => decision[name]).filter((words) => words !== "" && words !== null);
  return page.element("article", { class: "decision" },
    page.element("h2", {}, page.name(decision.operation || "probe"), " on ", page.name(decision.backend || "")),
    page.element("p", { class: "headline tone-" + decision.tone }, page.name(decision.headline)),
    sentences.map((words) => page.element("p", {}, page.name(words))),
    decision.stored === "" ? null : page.element("p", {}, page.name(decision.stored)),
    decision.run === "" ? null : page.element("p", { class: "note" }, "Recorded as ", page.run_link(decision.run)),
    decision_pictures(decision), decision_tables(decision));
}

page.decisions_part = function () {
  const { decisions } = page.data;
  return page.element("section", {}, page.element("h2", {}, "Decisions"),
    page.table({ name: "decisions", title: "Decisions", empty: "No decision is recorded: steelyard probe OPERATION --record makes one.",
      columns: [{ name: "headline", label: "Decision", kind: "link" }, { name: "decision", label: "Word", kind: "word" }, { name: "operation", label: "Operation", kind: "word" }, { name: "backend", label: "Backend", kind: "word" },
        { name: "gain", label: "Saved", kind: "number", unit: "share" }, { name: "low", label: "at least", kind: "number", unit: "share" }, { name: "rounds", label: "Rounds", kind: "number" }, { name: "stored", label: "Stored", kind: "text" }],
      rows: decisions.map((one) => [[page.address("decision", one.id), one.headline], one.decision, one.operation, one.backend, one.gain, one.gain_low, one.rounds.gain.length, one.stored]) }));
};

page.view("decision", (route) => {
  const found = route.id === null ? undefined : decision_find(route.id);
  if (found !== undefined) return decision_one(found);
  return route.id === null ? page.decisions_part() : page.element("section", {}, page.element("h2", {}, "Decision ", page.name(route.id, 128)), page.element("p", {}, "This page has no such decision. ", page.link("#/decision", "Those that it has")));
}, { label: "Decisions", shown: (data) => data.decisions.length > 0, count: (data) => data.decisions.length, title: (route) => (route.id === null ? "Decisions" : "Decision " + route.id) });
page.findable("decision", (data) => data.decisions.map((one) => [one.headline + " " + one.operation, page.address("decision", one.id)]));
