/* The feed by keys: j and k move, o or Enter opens, h hides, u takes that back, n shows what is new, ? says so.
 * Not while one types, nor with Ctrl, Alt or Meta. */
"use strict";

(() => {
  const feed = document.querySelector("[data-feed]");
  const dialog = document.querySelector("[data-keys]");
  if (!feed) return;
  const TYPING = "input, textarea, select, [contenteditable]";
  const hidden = []; // places of hidden cards, the last one last

  feed.addEventListener("htmx:load", (event) => {
    if (event.detail.elt.matches("[data-hidden-card]")) hidden.push(event.detail.elt);
  });

  const current = () => document.activeElement?.closest("[data-card], [data-hidden-card]");
  const currentCard = () => document.activeElement?.closest("[data-card]");

  function move(step) {
    const cards = [...feed.querySelectorAll("[data-card]")];
    const place = current();
    const follows = (card) => place.compareDocumentPosition(card) & Node.DOCUMENT_POSITION_FOLLOWING;
    let next = cards.find((card) => card.getBoundingClientRect().bottom > 0); // of those on the screen
    if (place && step > 0) next = cards.find(follows);
    if (place && step < 0) next = cards.filter((card) => card !== place && !follows(card)).pop();
    if (!next) return;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  function undo() {
    let place = hidden.pop();
    while (place && !place.isConnected) place = hidden.pop();
    place ??= feed.querySelector("[data-hidden-card]"); // so fresh that we were not told yet
    place?.querySelector("[data-undo]").requestSubmit();
  }

  const actions = {
    j: () => move(1),
    k: () => move(-1),
    o: () => currentCard()?.querySelector("[data-open]")?.click(),
    h: () => currentCard()?.querySelector("[data-hide]").requestSubmit(),
    u: undo,
    n: () => feed.querySelector("[data-show-new]:not([hidden])")?.click(),
    "?": () => dialog.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.(TYPING) || dialog.open) return;
    const isOnCard = event.target.matches?.("[data-card]");
    const act = event.key === "Enter" && isOnCard ? actions.o : actions[event.key];
    if (!act || (event.repeat && !"jk".includes(event.key))) return;
    event.preventDefault();
    act();
  });

  const button = document.querySelector("[data-show-keys]");
  if (button) {
    button.hidden = false;
    button.addEventListener("click", () => dialog.showModal());
  }
})();
