// SPDX-License-Identifier: Apache-2.0
// The shared object `page`: elements, links, names, views. No text becomes markup here, and no address leads out of the
// page. All files of the script share one closure: what a file declares begins with the file's own word.

const page = {
  data: null, // of "steelyard.page/1", once it is read
  views: new Map(),
  finders: [],
  route: null, // {name, id, query}: what is shown
};

// Registers what #/name or #/name/ID shows: make(route, data) -> Element, whose first h2 is its heading. options.label
// puts it into the navigation, in the order of registration, unless options.shown(data) is false; options.count(data)
// stands beside it. options.title(route): of the document.
page.view = function (name, make, options) {
  page.views.set(name, { name, make, options: options || {} });
};

// What the search of the whole page finds: kind is a word for people, list(data) -> [[text, route], ...], asked once.
page.findable = function (kind, list) {
  page.finders.push({ kind, list });
};

const page_svg_space = "http://www.w3.org/2000/svg";

function page_set(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === "function") {
    node.addEventListener(name, value);
    return;
  }
  if (/^on/i.test(name) || name === "style" || name === "srcdoc") throw new Error("attribute " + name + " is not allowed");
  if (name === "href" && !String(value).startsWith("#")) throw new Error("a link must stay on the page");
  node.setAttribute(name, value === true ? "" : String(value));
}

function page_append(node, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) page_append(node, child);
    else node.append(child instanceof Node ? child : String(child));
  }
}

// attributes: name -> text, number, true (present), null or false (absent), or a function that listens to the event of
// that name. Children: nodes, arrays of them, null for nothing; anything else is text.
page.element = function (tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const name of Object.keys(attributes || {})) page_set(node, name, attributes[name]);
  page_append(node, children);
  return node;
};

page.svg = function (tag, attributes, ...children) {
  const node = document.createElementNS(page_svg_space, tag);
  for (const name of Object.keys(attributes || {})) page_set(node, name, attributes[name]);
  page_append(node, children);
  return node;
};

// "#/run/20261129-..." of a view, an id (null = none) and state: an object or pairs, empty values left out.
page.address = function (name, id, query) {
  const parameters = new URLSearchParams();
  for (const [key, value] of Array.isArray(query) ? query : Object.entries(query || {}))
    if (value !== null && value !== undefined && value !== "") parameters.append(key, value);
  const state = parameters.toString();
  const place = "#/" + encodeURIComponent(name) + (id === null || id === undefined ? "" : "/" + encodeURIComponent(id));
  return place + (state === "" ? "" : "?" + state);
};

// A link inside of the page. route: "#/...", as page.address makes it. text: a text or a node.
page.link = function (route, text) {
  return page.element("a", { href: route }, text instanceof Node ? text : page.name(text));
};

// What has no sign of its own, or turns the direction of what follows: controls, marks and overrides of direction,
// spaces of no width, the noncharacters for annotations.
const page_hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

// A text from outside as people may see it: what is hidden is spelled, \x1b, \u202e.
page.shown = function (text) {
  return String(text).replace(page_hidden, (c) => {
    const code = c.charCodeAt(0);
    return code < 256 ? "\\x" + code.toString(16).padStart(2, "0") : "\\u" + code.toString(16).padStart(4, "0");
  });
};

// A name from outside, which keeps its direction to itself. most: letters at most, then "..."; left out = all.
page.name = function (text, most) {
  const letters = Array.from(page.shown(text).slice(0, most === undefined ? undefined : 2 * most));
  const cut = most !== undefined && (letters.length > most || String(text).length > 2 * most);
  return page.element("bdi", { dir: "auto" }, cut ? letters.slice(0, most).join("") + "\u2026" : letters.join(""));
};

const page_long_word = 18; // letters from which a word may break inside

// A long word of a name may break behind what parts it: dots, slashes, colons, lines.
page.breakable = function (name) {
  const parts = name.textContent.split(/(\s+)/).flatMap((word) => (word.length < page_long_word ? [word] : word.split(/(?<=[^./:_=-][./:_=-]+)(?=[A-Za-z_])/)));
  if (parts.length > 1) name.replaceChildren(...parts.flatMap((part, at) => (at === 0 || /^\s|\s$/.test(parts[at - 1] + part) ? [part] : [document.createElement("wbr"), part])));
  return name;
};

// A name that is shown whole at a press of a button, where it is long.
page.long_name = function (text, most) {
  const name = page.breakable(page.name(text, most));
  if (!name.textContent.endsWith("\u2026") || String(text).endsWith("\u2026")) return name;
  const button = page.element("button", { type: "button", class: "more", click: () => {
    name.textContent = page.shown(text);
    button.remove();
  } }, "more");
  return page.element("span", {}, name, " ", button);
};

// Signs and tones of words that stand for a state; a word that is not here has none.
const page_signs = new Map([
  ["block", ["\u00d7", "bad"]], ["BLOCKED", ["\u00d7", "bad"]], ["blocked", ["\u00d7", "bad"]], ["smoke", ["\u00d7", "bad"]],
  ["failed", ["\u00d7", "bad"]], ["cannot fail", ["\u00d7", "bad"]], ["refuted", ["\u00d7", "bad"]],
  ["investigate", ["?", "doubt"]], ["exceeds", ["!", "doubt"]], ["findings", ["!", "doubt"]], ["partial", ["\u25d0", "doubt"]],
  ["worse", ["\u25b2", "bad"]], ["better", ["\u25bc", "good"]],
  ["pass", ["\u2713", "good"]], ["first baseline", ["\u2713", "good"]], ["can fail", ["\u2713", "good"]], ["ok", ["\u2713", "good"]],
  ["within chance", ["\u2713", "good"]], ["no baseline", ["\u25cb", "gap"]], ["closed", ["\u2713", "good"]], ["measured", ["\u25cf", "good"]], ["passed", ["\u2713", "good"]],
  ["open", ["\u25cb", "gap"]], ["gap", ["\u25cb", "gap"]], ["pending", ["\u25cb", "gap"]], ["empty", ["\u25cb", "gap"]],
  ["valid", ["\u2713", "good"]], ["proven here", ["\u2713", "good"]], ["differs", ["\u00d7", "bad"]], ["expired", ["!", "doubt"]], ["cannot be read", ["\u00d7", "bad"]],
  ["unsupported", ["\u2013", "gap"]], ["superseded", ["\u2013", "gap"]], ["missing", ["\u00b7", "gap"]],
]);

// A word that stands for a state, with its sign and tone.
page.word = function (word) {
  const known = page_signs.get(word);
  if (known === undefined) return page.breakable(page.name(word, 80));
  return page.element("span", { class: "word tone-" + known[1] },
    page.element("span", { class: "sign", "aria-hidden": "true" }, known[0]), page.element("span", { class: "label" }, page.shown(word)));
};

// The first digits of a digest or a revision; all of it where it is none, and to the pointer.
page.digest = function (text) {
  if (!/^[0-9a-f]{20,}/i.test(text)) return page.name(text, 40);
  return page.element("span", { title: page.shown(text) }, text.slice(0, 12), page.element("span", { class: "hidden-visually" }, text.slice(12)));
};

// The id of a run: a link where it has a page of its own.
page.run_link = function (run) {
  return page.run_pages.has(run) ? page.link(page.address("run", run), run) : page.name(run);
};
