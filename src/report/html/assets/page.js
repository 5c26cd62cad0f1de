// SPDX-License-Identifier: Apache-2.0
// The shared object `page`: elements, links, views. No text becomes markup here, and no address leads out of the page.

const page = {
  data: null, // of "steelyard.page/1", once it is read
  views: new Map(),
  route: null, // {name, id, query}: what is shown
};

// Registers what #/name or #/name/ID shows: make(route, data) -> Element. options: {label, count(data) -> number or
// null} put it into the navigation, in order of registration; options.title(route) -> the document's title.
page.view = function (name, make, options) {
  page.views.set(name, { name, make, options: options || {} });
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
  for (const [key, value] of query instanceof Array ? query : Object.entries(query || {}))
    if (value !== null && value !== undefined && value !== "") parameters.append(key, value);
  const state = parameters.toString();
  const place = name === "" ? "#/" : "#/" + encodeURIComponent(name) + (id === null || id === undefined ? "" : "/" + encodeURIComponent(id));
  return place + (state === "" ? "" : "?" + state);
};

// A link inside of the page. route: "#/...", as page.address makes it. text: a text or a node.
page.link = function (route, text) {
  return page.element("a", { href: route }, text instanceof Node ? text : page.name(text));
};

const page_hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

// A text from outside as people may see it: what has no sign of its own is spelled, \x1b, \u202e.
page.shown = function (text) {
  return String(text).replace(page_hidden, (c) => {
    const code = c.charCodeAt(0);
    return code < 256 ? "\\x" + code.toString(16).padStart(2, "0") : "\\u" + code.toString(16).padStart(4, "0");
  });
};

// A name from outside, which keeps its direction to itself.
page.name = function (text) {
  return page.element("bdi", { dir: "auto" }, page.shown(text));
};

// A command line, with a button that copies it.
page.command = function (text) {
  const button = page.element("button", { type: "button", class: "copy", click: () => page_copy(text, button) }, "Copy");
  return page.element("span", { class: "command-line" }, page.element("code", { class: "command" }, page.shown(text)), button);
};

async function page_copy(text, button) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    done = page_copy_by_selection(text);
  }
  button.textContent = done ? "Copied" : "Press Ctrl+C";
  page.announce(done ? "Copied: " + text : "Copying is not allowed here");
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

// Where a file may not use the clipboard.
function page_copy_by_selection(text) {
  const field = page.element("textarea", { class: "hidden-visually", "aria-hidden": "true", readonly: true });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

// Says a sentence to people who do not see the page.
page.announce = function (text) {
  const live = document.getElementById("live");
  if (live !== null) live.textContent = text;
};
