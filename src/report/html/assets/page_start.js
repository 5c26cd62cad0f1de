// SPDX-License-Identifier: Apache-2.0
// Reads the data, then shows what the address names, now and whenever it changes.

// base64 to bytes, at once where the browser can.
function start_bytes(text) {
  if (typeof Uint8Array.fromBase64 === "function") return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function start_read() {
  const block = document.getElementById("steelyard-data");
  if (block.dataset.encoding === "none") return JSON.parse(block.textContent);
  const stream = new Blob([start_bytes(block.textContent)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  block.textContent = ""; // it is many megabytes
  return new Response(stream).json();
}

function start_decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// {name, id, query} of "#/name/ID?state"; anything else is the overview.
function start_route() {
  const hash = location.hash.startsWith("#/") ? location.hash.slice(2) : "";
  const mark = hash.indexOf("?");
  const place = mark < 0 ? hash : hash.slice(0, mark);
  const slash = place.indexOf("/");
  return {
    name: start_decode(slash < 0 ? place : place.slice(0, slash)),
    id: slash < 0 ? null : start_decode(place.slice(slash + 1)),
    query: new URLSearchParams(mark < 0 ? "" : hash.slice(mark + 1)),
  };
}

function start_navigation() {
  const navigation = document.getElementById("navigation");
  const items = [];
  for (const view of page.views.values()) {
    const { label, shown, count } = view.options;
    if (label === undefined || (shown !== undefined && !shown(page.data))) continue;
    const number = count === undefined ? null : count(page.data);
    items.push(page.element("li", {}, page.element("a", { href: page.address(view.name), "data-view": view.name, class: number === 0 ? "empty" : null }, label,
      number === null ? null : [" ", page.element("span", { class: "number" }, page.format.count(number))])));
  }
  navigation.replaceChildren(page.element("ul", {}, items));
  navigation.hidden = items.length < 2;
}

function start_mark_navigation(view) {
  for (const link of document.querySelectorAll("#navigation a")) {
    const is_here = view !== undefined && link.dataset.view === (view.options.within || view.name);
    if (is_here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (is_here && link.offsetParent !== null) link.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

function start_make(view) {
  if (view === undefined)
    return page.element("div", {}, page.element("h2", {}, "Not on this page"), page.element("p", {}, "There is no part named ", page.name(page.route.name, 80), ". ", page.link("#/", "The overview")));
  try {
    return view.make(page.route, page.data);
  } catch (error) {
    console.error(error);
    return page.element("div", {}, page.element("h2", {}, "This part cannot be shown"), page.element("p", { class: "failure" }, page.name(error.message, 200)));
  }
}

const start_title = document.title;

// The view that the address names; is_first: the page was just opened, and the focus stays where it is.
function start_show(is_first) {
  const before = page.route;
  page.route = start_route();
  const view = page.views.get(page.route.name);
  const target = document.getElementById("view");
  const made = start_make(view);
  const heading = made.matches("h2") ? made : made.querySelector("h2");
  document.getElementById("first").hidden = page.route.name !== "";
  target.replaceChildren(made);
  start_mark_navigation(view);
  document.title = page.route.name === "" || heading === null ? start_title : page.shown(heading.textContent).slice(0, 80) + " - " + start_title;
  const chosen = target.querySelector("tr.chosen");
  if (chosen !== null) chosen.scrollIntoView({ block: "center" });
  if (is_first || (before.name === page.route.name && before.id === page.route.id)) return;
  if (chosen === null) scrollTo(0, 0);
  if (heading !== null && page.route.name !== "") {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
  page.announce(document.title);
}

async function start() {
  document.body.append(page.element("p", { id: "live", class: "hidden-visually", role: "status" }));
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address names the view
    document.getElementById("main").focus();
  });
  page.complete_first_screen();
  try {
    page.data = await start_read();
  } catch (error) {
    console.error(error);
    document.getElementById("view").append(page.element("p", { class: "failure" }, "The data of this page cannot be read: ", page.name(error.message, 200)));
    return;
  }
  page.run_pages = new Set(page.data.runs.map((run) => run.run));
  page.link_first_screen();
  page.listen_to_keys();
  start_navigation();
  start_show(true);
  window.addEventListener("hashchange", () => start_show(false));
  document.documentElement.dataset.ready = "true";
  performance.mark("steelyard-ready");
}

start();
