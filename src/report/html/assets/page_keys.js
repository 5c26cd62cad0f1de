// SPDX-License-Identifier: Apache-2.0
// Keys of the whole page, the list of them, and the search for a series, a run or a gate by its name.

const keys_list = [
  ["/", "search the whole page for a series, a run, a gate or a cell"],
  ["f", "search the first table of this view"],
  ["j k", "next and previous row of a table, as the arrows do"],
  ["n p", "next and previous page of a table"],
  ["Enter", "follow the link of a row"],
  ["o", "the overview"],
  ["?", "this list"],
  ["Escape", "close what is open"],
];
const keys_found_most = 60;

function keys_dialog(label, ...children) {
  const dialog = page.element("dialog", { "aria-label": label, click: (event) => { if (event.target === dialog) dialog.close(); },
    close: () => dialog.remove() }, page.element("div", { class: "inside" }, children));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function keys_show_list() {
  const dialog = keys_dialog("Keys", page.element("h2", {}, "Keys"),
    page.element("dl", { class: "keys" }, keys_list.map(([keys, text]) => [page.element("dt", {}, keys.split(" ").map((key) => [page.element("kbd", {}, key), " "])), page.element("dd", {}, text)])),
    page.element("button", { type: "button", click: () => dialog.close() }, "Close"));
}

let keys_index = null; // [kind, text, route, text in lower case]

function keys_all() {
  if (keys_index === null)
    keys_index = page.finders.flatMap(({ kind, list }) => list(page.data).map(([text, route]) => [kind, text, route, text.toLowerCase()]));
  return keys_index;
}

// Those that have every word, the ones that begin with what was typed first.
function keys_find(typed) {
  const whole = typed.trim().toLowerCase();
  const words = whole.split(/\s+/);
  const begins = [], others = [];
  if (whole === "") return [];
  for (const one of keys_all()) {
    if (!words.every((word) => one[3].includes(word))) continue;
    (one[3].startsWith(whole) ? begins : others).push(one);
    if (begins.length === keys_found_most) break;
  }
  return begins.concat(others);
}

// A field with a list under it, as the pattern "combobox" of ARIA has it.
page.find = function () {
  const list = page.element("ul", { class: "found", id: "found", role: "listbox", "aria-label": "Found" });
  const status = page.element("p", { class: "count", role: "status" });
  const field = page.element("input", { type: "search", role: "combobox", "aria-expanded": "true", "aria-controls": "found", "aria-label": "Search the whole page",
    placeholder: "Name of a series, a run, a gate, a cell", autocomplete: "off", spellcheck: "false", autofocus: true });
  const dialog = keys_dialog("Search the whole page", page.element("h2", {}, "Search"), field, status, list);
  let chosen = 0, found = [];
  const go = (index) => {
    if (found[index] === undefined) return;
    dialog.close();
    location.hash = found[index][2];
  };
  const mark = (index) => {
    chosen = Math.max(0, Math.min(list.childElementCount - 1, index));
    Array.from(list.children).forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)));
    const item = list.children[chosen];
    if (item === undefined) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  };
  field.addEventListener("input", () => {
    found = keys_find(field.value);
    list.replaceChildren(...found.slice(0, keys_found_most).map(([kind, text], at) => page.element("li", { id: "found-" + at, role: "option", click: () => go(at) },
      page.element("span", { class: "kind" }, kind), page.name(text, 200))));
    status.textContent = field.value.trim() === "" ? "" : found.length === 0 ? "Nothing is named like that" : page.format.count(found.length) + " found" + (found.length > keys_found_most ? ", the first " + keys_found_most + " are shown" : "");
    mark(0);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") mark(chosen + (event.key === "ArrowDown" ? 1 : -1));
    else if (event.key === "Enter") go(chosen);
    else return;
    event.preventDefault();
  });
  field.focus();
};

function keys_pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") !== null) return;
  const in_field = event.target.closest !== undefined && event.target.closest("input, select, textarea") !== null;
  if (in_field && event.key === "Escape") event.target.blur();
  if (in_field) return;
  const search = document.querySelector("#view .tools input");
  if (event.key === "/") page.find();
  else if (event.key === "?") keys_show_list();
  else if (event.key === "o") location.hash = "#/";
  else if (event.key === "f" && search !== null) search.focus();
  else if (/^(j|k)$/.test(event.key) && event.target.closest(".scroll") === null) {
    const region = document.querySelector("#view .table .scroll");
    if (region === null) return;
    region.dispatchEvent(new KeyboardEvent("keydown", { key: event.key }));
  } else return;
  event.preventDefault();
}

page.listen_to_keys = function () {
  document.addEventListener("keydown", keys_pressed);
  const row = document.querySelector(".top .row");
  row.append(page.element("button", { type: "button", class: "finder-button", "aria-label": "Search the whole page", click: () => page.find() }, "Search", page.element("kbd", { "aria-hidden": "true" }, "/")));
};
