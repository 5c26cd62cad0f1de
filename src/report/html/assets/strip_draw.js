// SPDX-License-Identifier: Apache-2.0
// Pictures of a run's samples: how they are spread, beside those of its baseline's newest session, and in which order
// they came.

const strip_row = 104; // pixels of one strip
const strip_bars = 44;

function strip_is_drawn(strip) {
  return strip !== null && Number.isFinite(strip.low) && Number.isFinite(strip.high);
}

// One axis for all strips: {place, ticks, title}.
function strip_axis(strips, unit, left, right) {
  let low = Math.min(...strips.map((strip) => strip.low));
  let high = Math.max(...strips.map((strip) => strip.high));
  if (!(high > low)) {
    const pad = Math.abs(low) * 0.01 || 0.5;
    [low, high] = [low - pad, high + pad];
  }
  const counted = scale_unit(unit, Math.max(Math.abs(low), Math.abs(high)));
  const place = (value) => left + ((Math.min(Math.max(value, low), high) - low) / (high - low)) * (right - left);
  return { place, ticks: scale_linear_ticks(low, high, Math.max(2, Math.floor((right - left) / 90)), counted.divide), title: counted.label };
}

function strip_bins(strip, axis, base) {
  const most = Math.max(1, ...strip.bins);
  const width = (strip.high - strip.low) / strip.bins.length;
  let path = "";
  strip.bins.forEach((count, index) => {
    if (count === 0) return;
    const x1 = width > 0 ? axis.place(strip.low + index * width) : axis.place(strip.low) - 2;
    const x2 = Math.max(x1 + 0.8, width > 0 ? axis.place(strip.low + (index + 1) * width) : axis.place(strip.low) + 2);
    path += `M${history_px(x1)},${base}V${history_px(base - Math.max(1.5, (count / most) * strip_bars))}H${history_px(x2)}V${base}Z`;
  });
  return page.svg("path", { class: "bins", d: path });
}

// p5 to p95 as a line, the quartiles as a box, the median, p95 and p99 as ticks, the first sample as a triangle.
function strip_box(strip, axis, y) {
  const group = page.svg("g", { class: "box" });
  const at = (value) => history_px(axis.place(value));
  const known = (...values) => values.every(Number.isFinite);
  if (known(strip.p5, strip.p95)) group.append(history_line("whisker", at(strip.p5), y, at(strip.p95), y));
  if (known(strip.p25, strip.p75)) group.append(page.svg("rect", { class: "quartiles", x: at(strip.p25), y: y - 5, width: Math.max(1, at(strip.p75) - at(strip.p25)), height: 10 }));
  if (known(strip.p50)) group.append(history_line("middle", at(strip.p50), y - 8, at(strip.p50), y + 8));
  for (const value of [strip.p95, strip.p99]) if (known(value)) group.append(history_line("whisker", at(value), y - 5, at(value), y + 5));
  if (known(strip.first)) group.append(page.svg("path", { class: "first", d: "M0,5L5,13H-5Z", transform: `translate(${at(strip.first)} ${y})` }));
  return group;
}

// Words at the places of p50, p95 and p99, each where the one before leaves room.
function strip_words(strip, axis, y, width) {
  const group = page.svg("g");
  let free = 0;
  for (const [word, value] of [["p50", strip.p50], ["p95", strip.p95], ["p99", strip.p99], ["first", strip.first]].sort((a, b) => a[1] - b[1])) {
    if (!Number.isFinite(value)) continue;
    const x = axis.place(value);
    const long = word.length * 6.4;
    if (x - long / 2 < free || x + long / 2 > width) continue;
    group.append(history_label("tick faint", x, y, "middle", word));
    free = x + long / 2 + 4;
  }
  return group;
}

function strip_count_words(strip) {
  const words = [`${page.format.count(strip.count)} ${strip.count === 1 ? "sample" : "samples"}`];
  if (strip.usable < strip.count) words.push(`${page.format.count(strip.count - strip.usable)} unusable`);
  if (strip.below > 0) words.push(`${page.format.count(strip.below)} below the picture`);
  if (strip.above > 0) words.push(`${page.format.count(strip.above)} above the picture`);
  return words.join(", ");
}

// shown: [{strip, label}], the run's own first.
function strip_draw(shown, unit, width) {
  const kept = shown.filter((one) => strip_is_drawn(one.strip));
  const [left, right] = [10, width - 14];
  const height = kept.length * strip_row + 30;
  const svg = page.svg("svg", { class: "strip", width, height, viewBox: `0 0 ${width} ${height}` });
  if (kept.length === 0) return svg;
  const axis = strip_axis(kept.map((one) => one.strip), unit, left, right);
  const bottom = height - 30;
  for (const tick of axis.ticks) {
    const x = axis.place(tick.value);
    svg.append(history_line("rule", x, 14, x, bottom), history_label("tick", Math.min(x, width - 16), bottom + 16, x < 24 ? "start" : "middle", tick.text));
  }
  svg.append(history_label("tick", width - 2, bottom + 29, "end", axis.title));
  kept.forEach((one, index) => {
    const top = index * strip_row;
    const base = top + 14 + strip_bars;
    svg.append(history_label(index === 0 ? "direct" : "tick faint", left, top + 10, "start", one.label));
    svg.append(page.svg("g", { class: index === 0 ? "own" : "other" }, strip_bins(one.strip, axis, base), history_line("axis", left, base, right, base),
      strip_box(one.strip, axis, base + 12), strip_words(one.strip, axis, base + 32, width)));
  });
  return svg;
}

// ---- in order of measurement ----

function strip_order_values(strip) {
  return strip.drawn.filter((value) => value !== null);
}

function strip_order_axis(strip, layout, svg, scale) {
  for (const tick of scale.ticks) {
    const y = scale.place(tick.value);
    svg.append(history_line("rule", layout.left, y, layout.right, y), history_label("tick", layout.left - 7, y + 4, "end", tick.text));
  }
  svg.append(history_label("tick", 4, 12, "start", [scale.title, scale.note].filter((words) => words !== "").join(", ")));
  const step = Math.max(1, scale_step(strip.count, Math.max(2, Math.floor((layout.right - layout.left) / 90))));
  svg.append(history_line("axis", layout.left, layout.bottom, layout.right, layout.bottom));
  for (let i = step; i <= strip.count; i += step)
    svg.append(history_label("tick", layout.place(i - 1), layout.bottom + 16, "middle", page.format.count(i)));
  svg.append(history_label("tick", layout.place(0), layout.bottom + 16, "middle", "1"));
}

const strip_told = 4; // samples beyond the scale that are named; more would cover each other

// A sample beyond the scale: a triangle at the edge, and what it is.
function strip_order_beyond(strip, value, x, scale, layout, told) {
  const y = scale.place(value);
  const left = x > (layout.left + layout.right) / 2;
  const mark = page.svg("path", { class: "first", d: "M0,-5L5,4H-5Z", transform: `translate(${x} ${history_px(y)})` });
  return told >= strip_told ? [mark] : [mark, history_label("direct", x + (left ? -9 : 9), y + 4, left ? "end" : "start", page.format.number(value, strip.unit))];
}

// The samples one after another: drift, steps and warm-up are seen.
function strip_order_draw(strip, width) {
  const height = width >= 640 ? 190 : 170;
  const svg = page.svg("svg", { class: "order", width, height, viewBox: `0 0 ${width} ${height}` });
  const values = strip_order_values(strip);
  if (values.length === 0) return svg;
  const [top, bottom] = [22, height - 26];
  const scale = scale_of(values, strip.unit, top, bottom, scale_of_samples);
  const left = Math.min(110, 14 + Math.max(3, ...scale.ticks.map((tick) => tick.text.length)) * 7);
  const right = width - 14;
  const each = strip.count / strip.drawn.length; // samples that one drawn value stands for
  const layout = { left, right, bottom, place: (index) => left + ((index + 0.5) / strip.count) * (right - left) };
  strip_order_axis(strip, layout, svg, scale);
  const dots = strip.drawn.length <= (right - left) / 4;
  let path = "";
  let pen = false;
  let told = 0;
  strip.drawn.forEach((value, index) => {
    const x = history_px(layout.place(index * each));
    if (value === null) {
      svg.append(history_line("missing", x, bottom - 5, x, bottom));
      pen = false;
      return;
    }
    path += `${pen ? "L" : "M"}${x},${history_px(scale.place(value))}`;
    pen = true;
    if (scale.beyond(value)) svg.append(...strip_order_beyond(strip, value, x, scale, layout, told++));
    else if (dots) svg.append(page.svg("circle", { class: "mark", cx: x, cy: history_px(scale.place(value)), r: 2.6 }));
  });
  svg.prepend(page.svg("path", { class: "course thin", d: path }));
  if (Number.isFinite(strip.p50)) svg.append(history_line("median", left, scale.place(strip.p50), right, scale.place(strip.p50)));
  return svg;
}
