// SPDX-License-Identifier: Apache-2.0
// A figure with its picture and, behind a button, its table. The picture is drawn again when its width changes.

// spec: {title, summary: a sentence that says what the picture shows, draw(width) -> svg, table: as page.table takes it}.
page.chart = function (spec) {
  const picture = page.element("div", { class: "picture", role: "img", "aria-label": spec.title + ": " + spec.summary });
  const behind = page.element("div", { class: "behind", hidden: true });
  const button = page.element("button", { type: "button", class: "toggle", "aria-expanded": "false", click: () => {
    behind.hidden = !behind.hidden;
    picture.hidden = !behind.hidden;
    button.setAttribute("aria-expanded", String(!behind.hidden));
    button.textContent = behind.hidden ? "Table" : "Picture";
    if (!behind.hidden && behind.childElementCount === 0) behind.append(page.table(spec.table));
  } }, "Table");
  let drawn_width = 0;
  const draw = (width) => {
    if (width < 1 || width === drawn_width) return;
    drawn_width = width;
    picture.replaceChildren(spec.draw(width));
  };
  new ResizeObserver((entries) => {
    for (const entry of entries) draw(Math.floor(entry.contentRect.width));
  }).observe(picture);
  return page.element("figure", { class: "chart" },
    page.element("figcaption", {}, page.element("span", { class: "title" }, spec.title), " ", spec.table ? button : null,
      page.element("span", { class: "summary" }, spec.summary)), picture, behind);
};
