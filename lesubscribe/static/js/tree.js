// A tree of values as nested lists with disclosure buttons (schema_registry/parts/level.html).
// htmx fetches what is below a value when it is first opened; here it is shown and hidden, and the arrow keys move:
// up and down between visible values, right opens, left closes or goes up.
"use strict";

(() => {
  const shownIn = (tree) => [...tree.querySelectorAll("button, a")].filter((each) => each.offsetParent !== null);

  const open = (fold, wanted) => {
    const below = fold.parentElement.querySelector(":scope > ul");
    fold.setAttribute("aria-expanded", String(wanted));
    below.hidden = !wanted;
  };

  document.addEventListener("click", (event) => {
    const fold = event.target.closest(".tree .fold");
    if (fold) open(fold, fold.getAttribute("aria-expanded") !== "true");
  });

  // From one value to the next: its name, or the button that opens it when it has nothing else.
  const step = (tree, from, by) => {
    const stops = shownIn(tree).filter((each) => !each.classList.contains("fold") || !nameBeside(each));
    const here = stops.findIndex((each) => each === from || each.closest("li") === from.closest("li"));
    stops[here + by]?.focus();
  };

  const nameBeside = (fold) => fold.parentElement.querySelector(":scope > a, :scope > .plain");

  const upFrom = (item) => {
    const above = item.parentElement.closest("li.node");
    (above?.querySelector(":scope > a, :scope > .plain") ?? above?.querySelector(":scope > .fold"))?.focus();
  };

  document.addEventListener("keydown", (event) => {
    const tree = event.target.closest(".tree");
    const item = event.target.closest("li");
    if (!tree || !item || event.altKey || event.ctrlKey || event.metaKey) return;
    const fold = item.querySelector(":scope > .fold");
    const isOpen = fold?.getAttribute("aria-expanded") === "true";
    switch (event.key) {
      case "ArrowDown": step(tree, event.target, 1); break;
      case "ArrowUp": step(tree, event.target, -1); break;
      case "ArrowRight": if (fold && !isOpen) fold.click(); else if (fold) step(tree, event.target, 1); break;
      case "ArrowLeft": if (fold && isOpen) fold.click(); else upFrom(item); break;
      default: return;
    }
    event.preventDefault();
  });

  // Without scripts the buttons would do nothing, so the style sheet shows them only here.
  document.documentElement.classList.add("with-trees");
})();
