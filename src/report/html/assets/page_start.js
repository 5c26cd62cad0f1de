// SPDX-License-Identifier: Apache-2.0
// Reads the data, then shows what the address names, now and whenever it changes.

// base64 to bytes, without a call of a function for each of them where the browser can do it.
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
  const text = await new Response(stream).text();
  block.textContent = ""; // it is many megabytes
  return JSON.parse(text);
}

// {name, id, query} of "#/name/ID?state"; a skip link's address and an empty one are the overview.
function start_route() {
  const [place, state] = location.hash.startsWith("#/") ? [location.hash.slice(2).split("?")[0], location.hash.split("?").slice(1).join("?")] : ["", ""];
  const parts = place.split("/");
  const decode = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  return { name: decode(parts[0]), id: parts.length > 1 ? decode(parts.slice(1).join("/")) : null, query: new URLSearchParams(state) };
}

function start_navigation() {
  const navigation = document.getElementById("navigation");
  navigation.replaceChildren(page.element("ul", {}, Array.from(page.views.values()).map((view) => {
    const count = view.options.count ? view.options.count(page.data) : null;
    if (!view.options.label || (view.options.count && count === null)) return null;
    return page.element("li", {}, page.element("a", { href: page.address(view.name), "data-view": view.name }, view.options.label,
      count === null ? null : [" ", page.element("span", { class: "number" }, page.format.count(count))]));
  })));
  navigation.hidden = false;
}

function start_show() {
  page.route = start_route();
  const view = page.views.get(page.route.name);
  const target = document.getElementById("view");
  document.getElementById("first").hidden = page.route.name !== "";
  for (const link of document.querySelectorAll("#navigation a"))
    if (link.dataset.view === page.route.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  if (view === undefined) {
    target.replaceChildren(page.element("p", {}, "There is no part of this page named ", page.name(page.route.name), ". ", page.link("#/", "Overview")));
    return;
  }
  try {
    target.replaceChildren(view.make(page.route, page.data));
  } catch (error) {
    target.replaceChildren(page.element("p", { class: "failure" }, "This part could not be shown: " + error.message));
    throw error;
  }
}

async function start() {
  document.body.append(page.element("p", { id: "live", class: "hidden-visually", role: "status", "aria-live": "polite" }));
  page.data = await start_read();
  page.run_pages = new Set((page.data.runs || []).map((run) => run.run));
  start_navigation();
  start_show();
  window.addEventListener("hashchange", start_show);
  document.documentElement.dataset.ready = "true";
}

start();
