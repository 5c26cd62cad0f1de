// SPDX-License-Identifier: Apache-2.0
// The view #/run/RUN: what a run is, what was said of it, its samples, and all of its evidence; #/run, a list of those
// that have a page.

let run_kept = null;

function run_find(id) {
  if (run_kept === null) run_kept = new Map(page.data.runs.map((run) => [run.run, run]));
  return run_kept.get(id);
}

function run_part(title, ...children) {
  return page.element("section", { class: "part" }, page.element("h3", {}, title), children);
}

function run_fact(label, child) {
  return page.element("div", {}, page.element("dt", {}, label), page.element("dd", {}, child));
}

// ---- what it is ----

function run_head(run) {
  const facts = [run_fact("status", page.element("strong", { class: "tone-" + run.tone }, page.name(run.status))), run_fact("kind", run.kind)];
  if (run.gate !== "") facts.push(run_fact("gate", page.name(run.gate)));
  if (run.cell !== "") facts.push(run_fact("cell", page.name(run.cell)));
  facts.push(run_fact("began", page.time(run.began)));
  if (run.ended > 0) facts.push(run_fact("ended", page.time(run.ended)));
  for (const [label, text] of run.facts) facts.push(run_fact(label, label === "superseded by" ? page.run_link(text) : page.long_name(text, 300)));
  return page.element("div", {},
    run.question === "" ? null : page.element("p", { class: "question" }, page.name(run.question)),
    run.conclusion === "" ? null : page.element("p", {}, page.element("strong", {}, "Conclusion: "), page.name(run.conclusion)),
    run.decision === undefined ? null : page.element("p", {}, page.element("strong", {}, "Decision: "), page.name(run.decision), run.probe ? [" ", page.link(page.address("decision", run.run), "pair by pair")] : run.probe_missing === "" ? null : page.element("span", { class: "note" }, " (", page.name(run.probe_missing), ")")),
    page.element("dl", { class: "facts" }, facts));
}

// ---- what was said of it ----

function run_verdict(run, verdict, index) {
  const reasons = page.element("ul", {}, verdict.reasons.map((reason) => page.element("li", {}, page.long_name(reason, 400))));
  const runs = (words, list) => (list.length === 0 ? null : page.element("p", { class: "note" }, words, list.map((id, at) => [at === 0 ? " " : ", ", page.run_link(id)])));
  return page.element("div", { class: "verdict-of-run" }, page.element("p", {}, page.word(verdict.word), " ", page.element("span", { class: "quiet" }, verdict.line)),
    reasons, verdict.recalibrate === undefined ? null : page.element("p", { class: "tone-doubt" }, page.name(verdict.recalibrate)),
    verdict.metrics.length === 0 ? null : run_metric_table(run, verdict, index),
    runs("Baseline:", verdict.baseline), verdict.sessions.length > 1 ? runs("Judged together:", verdict.sessions) : null);
}

function run_said(run) {
  const parts = [];
  if (run.verdicts.length > 0) parts.push(run_part(run.verdicts.length === 1 ? "Verdict" : "Verdicts, the last one counts", run.verdicts.map((verdict, index) => run_verdict(run, verdict, index))));
  if (run.changes.length > 0) parts.push(run_part("Changes that begin here", run_change_table(run)));
  if (run.signoffs.length > 0) parts.push(run_part(run.signed_off ? "Signed off" : "Signed off, and taken back by a later verdict", page.element("ul", {}, run.signoffs.map((words) => page.element("li", {}, page.name(words))))));
  if (run.promotions.length > 0) parts.push(run_part("Promoted", run.promotions.map((promotion, index) => [page.element("p", {}, page.name(promotion.line)), run_proof_table(run, promotion, index)])));
  return parts;
}

// ---- its samples ----

// The same series of the session that this run is held against, where that has a page here.
function run_counterpart(run, strip) {
  const other = run.baseline === "" ? undefined : run_find(run.baseline);
  const found = other === undefined ? undefined : other.strips.find((one) => one.label === strip.label && one.unit === strip.unit);
  return found === undefined ? null : found;
}

function run_strip_summary(strip, other) {
  if (strip.samples_missing) return strip_count_words(strip) + "; they are gone or were changed since: `steelyard ledger verify` says which.";
  if (!strip_is_drawn(strip)) return strip_count_words(strip) + "; none is a number.";
  const words = ["p50", "p95", "p99"].map((name) => `${name} ${page.format.number(strip[name], strip.unit)}`);
  const first = Number.isFinite(strip.first) ? `, the first ${page.format.number(strip.first, strip.unit)}` : "";
  const against = other === null || !(other.p50 > 0) ? "" : ` The baseline's newest session has p50 ${page.format.number(other.p50, other.unit)}.`;
  return `${strip_count_words(strip)}; ${words.join(", ")}${first}.${against}`;
}

function run_strip(run, strip, index) {
  const other = run_counterpart(run, strip);
  const shown = [{ strip, label: "this run" }, { strip: other, label: "baseline's newest session " + run.baseline }];
  if (!strip_is_drawn(strip)) return page.element("p", {}, page.element("strong", {}, page.name(strip.label)), ": ", run_strip_summary(strip, other));
  const remarks = [strip.remark, strip.note, ...strip.figures].filter((words) => words !== "").map((words) => page.element("li", {}, page.long_name(words, 300)));
  const parts = [page.chart({ title: page.shown(strip.label), summary: run_strip_summary(strip, other), table: run_strip_table(strip, other, index), draw: (width) => strip_draw(shown, strip.unit, width) })];
  if (strip.drawn.length > 1) {
    const some = strip.drawn.length < strip.count ? `, ${page.format.count(strip.drawn.length)} of ${page.format.count(strip.count)}, one of each equal part` : "";
    parts.push(page.chart({ title: page.shown(strip.label) + " in order of measurement", summary: `From the first sample to the last${some}; the dashed line is the p50.`, table: run_order_table(strip, index), draw: (width) => strip_order_draw(strip, width) }));
  }
  if (remarks.length > 0) parts.push(page.element("ul", { class: "note" }, remarks));
  return page.element("div", { class: "strips" }, parts);
}

// The courses that this run is a point of.
function run_courses(run) {
  const found = series_of_run(run.run);
  if (found.length === 0) return null;
  const all = series_all();
  return run_part("In these courses", page.table({
    name: "courses", title: "Courses with this run", prefix: "s.",
    columns: [{ name: "series", label: "Series", kind: "link" }, { name: "value", label: "Value here", kind: "number", cell: (value, row) => page.format.number(value, row[4]) },
      { name: "place", label: "Session", kind: "number" }, { name: "of", label: "of", kind: "number" }],
    rows: found.map(([index, place]) => [[page.address("series", all.series.id[index], { run: run.run }), series_text("label", index)], all.series.values[index][place], place + 1, all.series.values[index].length, series_text("unit", index)]),
  }));
}

// Of runs with very many series a page has none.
function run_samples(run) {
  if (run.strips.length > 0) return run_part("Samples", run.strips.map((strip, index) => run_strip(run, strip, index)));
  if (run.series_count === 0) return null;
  return run_part("Samples", page.element("p", {}, `This run has ${page.format.count(run.series_count)} series, whose samples are too many for this page. The command at the end shows them.`));
}

function run_one(id) {
  const run = run_find(id);
  if (run === undefined) return run_absent(id);
  return page.element("article", { class: "run" }, page.element("h2", {}, "Run ", page.name(run.run)), run_head(run), run_said(run),
    run_samples(run), run_courses(run), run_evidence(run),
    page.element("p", { class: "note" }, `${page.format.count(run.events)} ${run.events === 1 ? "event" : "events"}; the last has the digest `, page.element("code", {}, run.digest)),
    page.element("p", {}, page.command("steelyard run show " + run.run)));
}

function run_absent(id) {
  const { runs } = page.data;
  const without = page.data.run_total - runs.length;
  return page.element("section", {}, page.element("h2", {}, "Run ", page.name(id, 128)),
    page.element("p", {}, without > 0 ? `This page has ${page.format.count(runs.length)} of the ledger's ${page.format.count(page.data.run_total)} runs, and this one is not among them. The command shows it:` : "The ledger had no such run when this page was written."),
    without > 0 ? page.element("p", {}, page.command("steelyard run show " + run_word(id))) : null, page.element("p", {}, page.link("#/run", "Runs on this page")));
}

// As a word of a command line: whatever could be more than a word is put into quotes.
function run_word(text) {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
}

function run_list() {
  const { runs, run_total } = page.data;
  return page.element("section", {}, page.element("h2", {}, "Runs"),
    page.element("p", { class: "note" }, run_total > runs.length ? `${page.format.count(runs.length)} of ${page.format.count(run_total)} runs have a page here: what stands open or is promoted, the newest of each line, decisions, then the newest.` : `All ${page.format.count(runs.length)} runs of the ledger, the newest first.`),
    page.table({ name: "runs", title: "Runs", columns: [{ name: "run", label: "Run", kind: "run" }, { name: "status", label: "Status", kind: "word" }, { name: "verdict", label: "Verdict", kind: "word" }, { name: "began", label: "Began", kind: "time" },
      { name: "gate", label: "Gate", kind: "word" }, { name: "cell", label: "Cell", kind: "word" }, { name: "kind", label: "Kind", kind: "word" }, { name: "question", label: "Question", kind: "text" }],
    rows: runs.map((run) => [run.run, run.status, run.verdicts.length === 0 ? "" : run.verdicts[run.verdicts.length - 1].word, run.began, run.gate, run.cell, run.kind, run.question]), empty: "Nothing was ever recorded." }));
}

page.view("run", (route) => (route.id === null ? run_list() : run_one(route.id)), {
  label: "Runs", shown: (data) => data.run_total > 0, count: (data) => data.runs.length,
});
page.findable("run", (data) => data.runs.map((run) => [run.run + " " + run.gate, page.address("run", run.run)]));
