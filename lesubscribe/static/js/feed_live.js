/* The live feed: listens to the stream, fetches the cards of what is new, and shows them - at once when the
 * reader is at the top and busy with nothing, else when they press the bar, so that nothing moves which
 * somebody reads. */
"use strict";

(() => {
  const feed = document.querySelector("[data-feed][data-live]");
  if (!feed) return;
  const bar = feed.querySelector("[data-show-new]");
  const notLive = feed.querySelector("[data-not-live]");
  const FIRST_PAUSE_MS = 1000;
  const LONGEST_PAUSE_MS = 60000;
  const NOTE_AFTER_MS = 10000;
  const AWAY_AFTER_MS = 30000; // a browser has few connections to a site, and hidden tabs need none
  const GATHER_MS = 120;
  const MOST_WAITING = 100;

  /* Listening ---------------------------------------------------------------------------------------- */

  const address = new URL(feed.dataset.stream, location.href);
  let stream = null;
  let pause = FIRST_PAUSE_MS;
  let again = null;
  let note = null;
  let leaving = null;

  function listen() {
    clearTimeout(again);
    stream?.close();
    stream = new EventSource(address);
    stream.addEventListener("match", taken);
    stream.addEventListener("open", () => {
      pause = FIRST_PAUSE_MS;
      clearTimeout(note);
      note = null;
      notLive.hidden = true;
    });
    stream.addEventListener("error", lost);
  }

  function lost() {
    note ??= setTimeout(() => { notLive.hidden = false; }, NOTE_AFTER_MS);
    if (stream.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    clearTimeout(again);
    again = setTimeout(listen, pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }

  function leave() {
    clearTimeout(again);
    clearTimeout(note);
    note = null;
    stream?.close();
    stream = null;
  }

  document.addEventListener("visibilitychange", () => {
    clearTimeout(leaving);
    if (document.visibilityState === "hidden") leaving = setTimeout(leave, AWAY_AFTER_MS);
    else if (!stream) listen();
  });
  addEventListener("pagehide", leave);
  addEventListener("pageshow", (event) => { if (event.persisted) listen(); });

  /* Gathering ---------------------------------------------------------------------------------------- */

  let wanted = new Set(); // matches whose cards are still to be fetched
  let waiting = []; // sections with cards that are not shown yet
  let tooMany = false;
  let gathering = null;

  function taken(event) {
    address.searchParams.set("last_event_id", event.lastEventId);
    const match = JSON.parse(event.data);
    if (Number(cardOf(match.event.id)?.dataset.match) >= match.id) return; // it came with the page
    if (wanted.size + countWaiting() >= MOST_WAITING) tooMany = true;
    else wanted.add(match.id);
    if (tooMany) showBar();
    else gathering ??= setTimeout(gather, GATHER_MS);
  }

  async function gather() {
    const asked = wanted;
    wanted = new Set();
    const from = new URL(feed.dataset.newFrom, location.href);
    asked.forEach((match) => from.searchParams.append("match", match));
    try {
      const answer = await fetch(from);
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      feed.dispatchEvent(new CustomEvent("feed:unseen", { detail: answer.headers.get("X-Unseen") }));
      arrived(await answer.text());
    } catch {
      asked.forEach((match) => wanted.add(match));
    }
    gathering = wanted.size ? setTimeout(gather, 20 * GATHER_MS) : null;
  }

  function arrived(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    for (const section of template.content.querySelectorAll("[data-day]")) {
      for (const card of section.querySelectorAll("[data-card]")) {
        waiting.forEach((other) => other.querySelector(`[data-event="${card.dataset.event}"]`)?.remove());
      }
      waiting.push(section);
    }
    waiting = waiting.filter((section) => section.querySelector("[data-card]"));
    if (isIdleAtTop()) show();
    else showBar();
  }

  /* Showing ------------------------------------------------------------------------------------------ */

  const cardOf = (event) => feed.querySelector(`:scope > section [data-event="${Number(event)}"]`);
  const countWaiting = () =>
    waiting.reduce((count, section) => count + section.querySelectorAll("[data-card]").length, 0);

  function isIdleAtTop() {
    const isBusy = feed.contains(document.activeElement) || feed.querySelector("details[open]");
    return scrollY < 8 && !isBusy && !tooMany;
  }

  function showBar() {
    const count = countWaiting();
    bar.hidden = !count && !tooMany;
    if (bar.hidden) return;
    const words = count === 1 ? bar.dataset.one : bar.dataset.several.replace("{count}", count);
    bar.textContent = tooMany ? bar.dataset.many : words;
  }

  function show() {
    const shown = [];
    for (const section of waiting) shown.push(...placed(section));
    waiting = [];
    showBar();
    if (shown.length) feed.querySelector("[data-nothing]")?.remove();
    return shown;
  }

  function placed(section) {
    const cards = [...section.querySelectorAll("[data-card]")];
    for (const card of cards) {
      const old = cardOf(card.dataset.event);
      const day = old?.closest("[data-day]");
      old?.remove();
      if (day && !day.querySelector("li")) day.remove();
      card.classList.add("arrived");
    }
    const day = feed.querySelector(`:scope > [data-day="${section.dataset.day}"]`);
    if (day) day.querySelector("ol").prepend(...cards);
    else (feed.querySelector(":scope > [data-day], :scope > [data-nothing], :scope > [data-more]")).before(section);
    cards.forEach((card) => htmx.process(card));
    return cards;
  }

  bar.addEventListener("click", () => {
    if (tooMany) {
      location.reload();
      return;
    }
    show();
    scrollTo({ top: 0 });
    feed.querySelector("[data-card]")?.focus({ preventScroll: true });
  });

  listen();
})();
