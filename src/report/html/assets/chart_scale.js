// SPDX-License-Identifier: Apache-2.0
// Axes: which ticks, in which unit, and where a value stands in pixels. Draws nothing.

// The least step of 1, 2 or 5 times a power of ten that cuts span into at most `most` parts.
function scale_step(span, most) {
  const least = span / Math.max(1, most);
  if (!(least > 0) || !Number.isFinite(least)) return 1;
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  for (const digit of [1, 2, 5]) if (digit * power >= least * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

const scale_times = [[1e-9, "ns"], [1e-6, "us"], [1e-3, "ms"], [1, "s"]];
const scale_time_units = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 };
const scale_sizes = [[1, "B"], [1024, "KiB"], [1048576, "MiB"], [1073741824, "GiB"], [1099511627776, "TiB"]];

function scale_largest(list, magnitude) {
  let best = list[0];
  for (const one of list) if (magnitude >= one[0] * 0.9995) best = one;
  return best;
}

// In which unit an axis up to `magnitude` counts: {divide, label}; a figure over divide is what its ticks say.
function scale_unit(unit, magnitude) {
  if (Object.hasOwn(scale_time_units, unit)) {
    const second = scale_time_units[unit];
    const best = scale_largest(scale_times, magnitude * second);
    return { divide: best[0] / second, label: best[1] };
  }
  if (unit === "bytes") {
    const best = scale_largest(scale_sizes, magnitude);
    return { divide: best[0], label: best[1] };
  }
  if (magnitude > 0 && (magnitude >= 1e5 || magnitude < 1e-3)) {
    const power = Math.floor(Math.log10(magnitude) / 3) * 3;
    return { divide: Math.pow(10, power), label: "\u00d710" + scale_raised(power) + (unit === "" ? "" : " " + unit) };
  }
  return { divide: 1, label: unit };
}

const scale_raised_digits = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

function scale_raised(power) {
  return String(power).replace(/[0-9]/g, (digit) => scale_raised_digits[digit]).replace("-", "\u207b");
}

// As many decimals as a step needs to be told from its neighbours.
function scale_decimals(step) {
  if (!(step > 0)) return 0;
  return Math.max(0, Math.min(12, Math.ceil(-Math.log10(step) - 1e-9)));
}

function scale_linear_ticks(low, high, most, divide) {
  const step = scale_step((high - low) / divide, most);
  const decimals = scale_decimals(step);
  const ticks = [];
  for (let i = Math.ceil(low / divide / step - 1e-9); i * step * divide <= high * (1 + 1e-12) + step * divide * 1e-9; i++) {
    ticks.push({ value: i * step * divide, text: scale_text(i * step, decimals) });
    if (ticks.length > 50) break;
  }
  return ticks;
}

// A number with a true minus sign, and none before a zero.
function scale_text(value, decimals) {
  const text = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(text) !== 0 ? "\u2212" + text : text;
}

// Powers of ten, thinned out to `most`; over less than two powers 1, 2 and 5 of each.
function scale_log_ticks(low, high, most, unit) {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const digits = last - first <= 2 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil((last - first) / most));
  const ticks = [];
  for (let power = first; power <= last; power += every)
    for (const digit of digits) {
      const value = digit * Math.pow(10, power);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push({ value, text: page.format.number(value, unit) });
    }
  return ticks;
}

// Where the bulk of the values lies, so that a few far ones do not flatten it: {low, high}, or null where no value is far.
function scale_bulk(values) {
  const sorted = values.slice().sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const low = at(0.1);
  const high = at(0.9);
  const reach = 10 * (high > low ? high - low : Math.abs(at(0.5)) * 0.05);
  if (!(reach > 0)) return null;
  const near = sorted.filter((value) => value >= low - reach && value <= high + reach);
  return near.length < sorted.length && near.length > 0 ? { low: near[0], high: near[near.length - 1] } : null;
}

// How far values may spread before those away from the bulk are cut off: `far` times the bulk's own spread; positive
// ones before they get a logarithmic scale: `powers` as a ratio.
const scale_ordinary = { far: 40, powers: 30 };
const scale_of_samples = { far: 6, powers: Infinity };

// A scale for finite values on top..bottom in pixels: place(value), ticks, title and what lies beyond.
function scale_of(values, unit, top, bottom, spread = scale_ordinary) {
  const most = Math.max(2, Math.floor((bottom - top) / 36));
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) [low, high] = [0, 1];
  if (low > 0 && high / low > spread.powers) return scale_log(low, high, unit, top, bottom, most);
  const bulk = values.length > 2 ? scale_bulk(values) : null;
  const cut = bulk !== null && high - low > spread.far * Math.max(bulk.high - bulk.low, Math.abs(bulk.high) * 0.01);
  if (cut) [low, high] = [bulk.low, bulk.high];
  return scale_linear(low, high, unit, top, bottom, most, cut);
}

function scale_linear(low, high, unit, top, bottom, most, cut) {
  const middle = (low + high) / 2;
  const least = Math.abs(middle) * 0.02 || 1; // no noise is blown up to fill the picture
  const half = Math.max((high - low) / 2, least / 2) * 1.12;
  const from = low >= 0 && middle - half < 0 ? 0 : middle - half;
  const to = middle + half;
  const counted = scale_unit(unit, Math.max(Math.abs(low), Math.abs(high)));
  const place = (value) => bottom - ((Math.min(Math.max(value, from), to) - from) / (to - from)) * (bottom - top);
  return {
    place,
    ticks: scale_linear_ticks(from, to, most, counted.divide),
    title: counted.label,
    beyond: (value) => cut && (value > to || value < from),
    note: cut ? "far values stand at the edge" : "",
  };
}

function scale_log(low, high, unit, top, bottom, most) {
  const from = Math.log10(low) - 0.05 * Math.log10(high / low);
  const to = Math.log10(high) + 0.05 * Math.log10(high / low);
  return {
    place: (value) => bottom - ((Math.log10(value) - from) / (to - from)) * (bottom - top),
    ticks: scale_log_ticks(Math.pow(10, from), Math.pow(10, to), most, unit),
    title: "",
    beyond: () => false,
    note: "logarithmic scale",
  };
}
