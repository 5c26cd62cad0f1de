// SPDX-License-Identifier: Apache-2.0
// The tables of a run's page: which columns the rows of the data block have.

function run_table(title, prefix, columns, rows) {
  return page.table({ name: prefix, title, prefix: prefix + ".", columns, rows });
}

function run_column(name, label, kind, unit) {
  return { name, label, kind, unit };
}

// Each figure in the unit of its own row.
function run_metric_table(run, verdict, index) {
  const units = new Map();
  const rows = verdict.metrics.map((m) => {
    const row = [m[16] ? m[0] + " (primary)" : m[0], m[1], m[2], m[3], m[4], m[5], m[7], m[9], m[10], m[11], m[12], m[13], m[14], m[15]];
    units.set(row, m[6]);
    return row;
  });
  const figure = (name, label) => ({ name, label, kind: "number", cell: (value, row) => page.format.number(value, units.get(row)) });
  return run_table("Metrics of verdict " + (index + 1), "v" + index, [run_column("metric", "Metric", "text"), run_column("word", "Verdict", "word"), run_column("why", "Why", "word"),
    figure("value", "Value"), figure("median", "Baseline median"), figure("threshold", "Threshold"), run_column("change", "Change", "text"), run_column("effect", "Effect, interval", "text"),
    run_column("level", "Level", "number", "share"), run_column("p", "p", "number"), run_column("least", "Least p", "number"), run_column("alpha", "Alpha", "number"),
    run_column("baseline", "Accepted", "number"), run_column("samples", "Samples", "number")], rows);
}

function run_change_table(run) {
  return run_table("Changes that begin with this run", "c", [run_column("state", "State", "word"), run_column("metric", "Metric", "text"), run_column("effect", "Effect, interval", "text"), run_column("worse", "Direction", "word"),
    run_column("before", "Last run before", "run"), run_column("reason", "Reason", "text")], run.changes);
}

function run_proof_table(run, promotion, index) {
  return run_table("Proofs of promotion " + (index + 1), "p" + index, [run_column("name", "Owed", "text"), run_column("run", "Paid by", "run"), run_column("detail", "Detail", "text")], promotion.proofs);
}

// ---- samples ----

function run_strip_table(strip, other, index) {
  const names = [["minimum", "minimum"], ["p5", "p5"], ["p25", "p25"], ["p50", "p50"], ["p75", "p75"], ["p95", "p95"], ["p99", "p99"], ["maximum", "maximum"], ["first", "first sample"]];
  const columns = [run_column("figure", "Figure", "text"), run_column("here", "This run", "number", strip.unit), run_column("there", "Baseline's newest session", "number", strip.unit)];
  return { name: "strip", title: "Samples of " + page.shown(strip.label), prefix: "q" + index + ".", columns,
    rows: names.map(([name, label]) => [label, strip[name], other === null ? null : other[name]]) };
}

function run_order_table(strip, index) {
  const each = strip.count / strip.drawn.length;
  return { name: "order", title: "Samples of " + page.shown(strip.label) + " in order", prefix: "o" + index + ".",
    columns: [run_column("at", "Sample", "number"), run_column("value", "Value", "number", strip.unit)],
    rows: strip.drawn.map((value, at) => [Math.floor(at * each) + 1, value]) };
}

// ---- evidence ----

function run_parity(run) {
  const columns = [run_column("outcome", "Outcome", "word"), run_column("case", "Case", "text"), run_column("implementation", "Implementation", "text"), run_column("error", "Error in tolerances", "number"), run_column("reason", "Reason", "text")];
  return run_part("Parity", page.element("p", {}, page.word(run.parity)), run.parities.length === 0 ? null : run_table("Parity", "y", columns, run.parities));
}

function run_memory(run) {
  if (run.memories.length === 0) return null;
  const columns = [run_column("name", "Figure", "text"), run_column("bytes", "Memory", "number", "bytes"), run_column("basis", "Basis", "word"), run_column("scope", "Scope", "word"), run_column("how", "How", "text"),
    run_column("who", "Counted", "word"), run_column("swap", "Swapped", "number", "bytes"), run_column("pressure", "Pressure", "text"), run_column("short", "Only a pre-check, because", "text")];
  return run_part("Memory", run_table("Memory", "m", columns, run.memories));
}

function run_key(run) {
  if (run.key.length === 0) return null;
  const title = run.key_unknown === 0 ? "Comparison key " + run.key_digest.slice(0, 12) : `Comparison key, incomplete: ${run.key_unknown} of ${run.key.length} fields unknown, which equal nothing`;
  return run_part(title, run_table("Comparison key", "k", [run_column("name", "Field", "text"), run_column("value", "Value", "text")], run.key.map(([name, value]) => [name, value === null ? "(unknown)" : value])));
}

function run_differences(run) {
  if (run.baseline === "") return null;
  const columns = [run_column("name", "Field", "text"), run_column("here", "Here", "text"), run_column("there", "There", "text"), run_column("agrees", "Agrees", "word")];
  const differing = run.differences.filter((row) => row[3] !== "agrees").length;
  return run_part("Against its baseline", page.element("p", {}, `Key, place, source and software against `, page.run_link(run.baseline), `: ${differing === 0 ? "all fields agree" : differing === 1 ? "one field differs" : differing + " fields differ"}.`),
    run.differences.length === 0 ? null : run_table("Differences to the baseline's newest session", "d", columns, run.differences));
}

function run_evidence(run) {
  const parts = [run_parity(run), run_memory(run), run_differences(run), run_key(run)];
  if (run.checks.length > 0) parts.push(run_part("Checks", run_table("Checks", "h", [run_column("outcome", "Outcome", "word"), run_column("name", "Check", "text"), run_column("required", "Required", "word"), run_column("found", "Found", "text"), run_column("expected", "Expected", "text")], run.checks)));
  if (run.commands.length > 0) parts.push(run_part("Commands", run_table("Commands", "x", [run_column("phase", "Phase", "word"), run_column("command", "Command", "command"), run_column("end", "How it ended", "text"), run_column("peak", "Peak memory", "number", "bytes")], run.commands.map((row) => [row[0], row[1], row[2], row[3] === 0 ? null : row[3]]))));
  if (run.files.length > 0) parts.push(run_part("Files, by SHA-256", run_table("Files", "f", [run_column("role", "Role", "word"), run_column("name", "Name", "text"), run_column("size", "Size", "number", "bytes"), run_column("digest", "SHA-256", "digest")], run.files)));
  if (run.identity.length > 0) parts.push(run_part("Host, device and software", run_table("Host, device and software", "i", [run_column("name", "Fact", "text"), run_column("value", "Value", "text"), run_column("key", "Separates results", "word")], run.identity)));
  return parts;
}
