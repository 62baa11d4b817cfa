/* The cards of the feed: which were looked at, the menus, where the focus goes when a card comes or goes,
 * and the counts of unseen items in the navigation. Without this file everything works by plain forms. */
"use strict";

(() => {
  const feed = document.querySelector("[data-feed]");
  if (!feed) return;
  const LOOKED_AT_MS = 1000;
  const BATCH_MS = 700;
  const MOST_AT_ONCE = 100;

  /* The counts --------------------------------------------------------------------------------------- */

  function showUnseen(count) {
    if (count === null || count === "") return;
    for (const badge of document.querySelectorAll("[data-unseen]")) {
      const { most } = badge.dataset;
      const text = Number(count) > Number(most) ? `${most}+` : String(Number(count));
      const words = badge.querySelector(".visually-hidden");
      badge.dataset.unseen = count;
      badge.hidden = Number(count) === 0;
      badge.querySelector("[aria-hidden]").textContent = text;
      words.textContent = words.textContent.replace(/\d+\+?/, text);
    }
  }

  document.body.addEventListener("htmx:afterRequest", (event) => {
    showUnseen(event.detail.xhr.getResponseHeader("X-Unseen"));
  });
  feed.addEventListener("feed:unseen", (event) => showUnseen(event.detail));

  /* What was in view for a second was seen ----------------------------------------------------------- */

  const timers = new Map();
  const looked = new Set();
  let sending = null;

  const inView = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      clearTimeout(timers.get(target));
      timers.delete(target);
      if (isIntersecting) timers.set(target, setTimeout(lookedAt, LOOKED_AT_MS, target));
    }
  }, { threshold: 0.5 });

  function lookedAt(card) {
    if (document.visibilityState !== "visible") return; // it is observed anew when the page is shown again
    inView.unobserve(card);
    timers.delete(card);
    card.removeAttribute("data-unseen-item");
    looked.add(card.dataset.event);
    sending ??= setTimeout(send, BATCH_MS);
  }

  addEventListener("pagehide", () => { if (looked.size) send(); });

  async function send() {
    clearTimeout(sending);
    const items = [...looked].slice(0, MOST_AT_ONCE);
    items.forEach((item) => looked.delete(item));
    const form = new FormData();
    form.set("csrfmiddlewaretoken", feed.querySelector("[name=csrfmiddlewaretoken]").value);
    form.set("quietly", "1");
    items.forEach((item) => form.append("item", item));
    try {
      const answer = await fetch(feed.dataset.seenTo, { method: "POST", body: form, keepalive: true });
      if (answer.ok) showUnseen(answer.headers.get("X-Unseen"));
      else if (answer.status >= 500) items.forEach((item) => looked.add(item));
    } catch {
      items.forEach((item) => looked.add(item)); // the connection is away
    }
    sending = looked.size ? setTimeout(send, 10 * BATCH_MS) : null;
  }

  function observe() {
    for (const card of feed.querySelectorAll("[data-unseen-item]")) {
      inView.unobserve(card);
      inView.observe(card);
    }
  }

  new MutationObserver(observe).observe(feed, { childList: true, subtree: true });
  document.addEventListener("visibilitychange", observe);
  observe();

  /* Menus close by Escape, by a click elsewhere, and when something was chosen ------------------------ */

  function closeMenus(except) {
    for (const menu of feed.querySelectorAll(".not-relevant[open]")) if (menu !== except) menu.open = false;
  }

  document.addEventListener("click", (event) => {
    const menu = event.target.closest(".not-relevant");
    closeMenus(event.target.closest("a, button") ? null : menu);
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest?.(".not-relevant[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  /* When what had the focus is gone, what came in its place gets it ----------------------------------- */

  feed.addEventListener("htmx:load", (event) => {
    const place = event.detail.elt;
    if (document.activeElement && document.activeElement !== document.body) return;
    const heir = place.matches("[tabindex]") ? place : place.querySelector("[data-card], a, button");
    heir?.focus({ preventScroll: true });
  });

  /* An address says only what was chosen. */
  document.querySelector("[data-filters]")?.addEventListener("formdata", (event) => {
    for (const [name, value] of [...event.formData]) if (!value) event.formData.delete(name);
  });
})();
