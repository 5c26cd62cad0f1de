// SPDX-License-Identifier: Apache-2.0
// Figures and moments as people read them, as the command writes them.

const format_times = [[1e-9, "ns"], [1e-6, "us"], [1e-3, "ms"], [1, "s"]];
const format_time_units = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 };
const format_sizes = [[1, "B"], [1024, "KiB"], [1048576, "MiB"], [1073741824, "GiB"], [1099511627776, "TiB"]];

// As many digits as given, without an exponent where a number is handy.
function format_digits(value, digits) {
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude >= 1e9 || magnitude < 1e-5)) return value.toExponential(digits - 1);
  const decimals = magnitude === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(magnitude)));
  return value.toFixed(Math.min(20, decimals));
}

function format_scaled(value, steps) {
  let best = steps[0];
  for (const step of steps) if (Math.abs(value) >= step[0] * 0.9995) best = step;
  return format_digits(value / best[0], 3) + " " + best[1];
}

page.format = {};

// unit: "s", "ns", "bytes", "share" (.051 is 5.1 %), "", or any word. "-" where there is no value.
page.format.number = function (value, unit) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "-";
  if (unit === "share") return format_digits(value * 100, Math.abs(value) >= 0.1 ? 3 : 2) + " %";
  if (unit === "bytes") return Number.isInteger(value) && Math.abs(value) < 1024 ? value + " B" : format_scaled(value, format_sizes);
  if (unit !== undefined && Object.hasOwn(format_time_units, unit))
    return value === 0 ? "0 " + unit : format_scaled(value * format_time_units[unit], format_times);
  const text = Number.isInteger(value) && Math.abs(value) < 1e15 ? String(value) : format_digits(value, 5);
  return unit === undefined || unit === null || unit === "" ? text : text + " " + unit;
};

// A count with thin gaps between thousands: 77 000.
page.format.count = function (value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
};

// "2026-11-29 23:30 UTC"; "-" for null.
page.format.time = function (utc_s) {
  if (utc_s === null || utc_s === undefined || utc_s === 0) return "-";
  const moment = new Date(utc_s * 1000);
  return Number.isNaN(moment.getTime()) ? "-" : moment.toISOString().slice(0, 16).replace("T", " ") + " UTC";
};

// What a clock here showed then.
page.format.local_time = function (utc_s) {
  return new Date(utc_s * 1000).toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
};

page.time = function (utc_s) {
  const text = page.format.time(utc_s);
  if (text === "-") return document.createTextNode(text);
  return page.element("time", { datetime: new Date(utc_s * 1000).toISOString(), title: page.format.local_time(utc_s) }, text);
};
