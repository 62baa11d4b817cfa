// The landing page: asks for the newest finds while somebody looks at it.
"use strict";

(() => {
  const EVERY = 4000; // milliseconds
  let isPaused = false;

  const example = () => document.querySelector("[data-live]");

  function showPause() {
    const pause = document.querySelector("[data-pause]");
    if (!pause) return;
    pause.hidden = false;
    pause.textContent = isPaused ? pause.dataset.goOn : pause.dataset.pause;
  }

  function look() {
    if (!isPaused && !document.hidden && example()) htmx.trigger(example(), "look");
  }

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-pause]")) return;
    isPaused = !isPaused;
    showPause();
  });
  document.addEventListener("htmx:afterSettle", showPause);
  document.addEventListener("DOMContentLoaded", showPause);
  document.addEventListener("visibilitychange", look);
  setInterval(look, EVERY);
})();
