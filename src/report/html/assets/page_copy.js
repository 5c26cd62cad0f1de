// SPDX-License-Identifier: Apache-2.0
// Commands to be copied, and what is said to people who do not see the page.

// Says a sentence to people who do not see the page.
page.announce = function (text) {
  document.getElementById("live").textContent = text;
};

// A command line, with a button that copies it.
page.command = function (text) {
  return page.element("span", { class: "command-line" }, page.element("code", { class: "command" }, page.name(text)),
    copy_button(text));
};

function copy_button(text) {
  const label = text.length > 60 ? text.slice(0, 60) + "\u2026" : text;
  const button = page.element("button", { type: "button", class: "copy", "aria-label": "Copy " + page.shown(label),
    click: () => copy_text(text, button) }, "Copy");
  return button;
}

async function copy_text(text, button) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    done = copy_by_selection(text);
  }
  if (!done) getSelection().selectAllChildren(button.previousElementSibling);
  button.textContent = done ? "Copied" : "Selected";
  page.announce(done ? "Copied" : "The browser does not let a page copy: the command is selected");
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

// For files, which not every browser lets use the clipboard.
function copy_by_selection(text) {
  const field = page.element("textarea", { class: "hidden-visually", "aria-hidden": "true", readonly: true });
  const before = document.activeElement;
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (before !== null) before.focus();
  return done;
}

// Leads from the first screen to the run that it names, once it is known whether that has a page.
page.link_first_screen = function () {
  for (const name of document.querySelectorAll("#first [data-run]"))
    if (page.run_pages.has(name.dataset.run)) name.replaceWith(page.link(page.address("run", name.dataset.run), name.cloneNode(true)));
};

// Gives the commands of the first screen their buttons, and its moments the time of a clock here.
page.complete_first_screen = function () {
  for (const code of document.querySelectorAll("#first code.command")) code.after(copy_button(code.textContent));
  for (const time of document.querySelectorAll("time")) time.title = page.format.local_time(Date.parse(time.dateTime) / 1000);
};
