/* What htmx asked for and did not get is told: a button that seems to do nothing is worse than a sentence.
 *
 * The sentences are in the frame of every page (base.html). The form of a search has its own, beside the form, and
 * what asks by itself again and again (`data-live`) stays quiet. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const note = document.querySelector("[data-failure]");
  if (!note) return;
  const { unreached, refused, signIn } = note.dataset;

  // Signed out meanwhile: the answer is the page for signing in, which is no part of this one.
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    if (new URL(event.detail.xhr.responseURL, location).pathname !== signIn) return;
    event.detail.shouldSwap = false;
    location.reload(); // leads there, and back to this page afterwards
  });

  if (document.getElementById("trouble")) return;
  const tell = (words) => (event) => {
    if (event.detail.elt.matches("[data-live]")) return;
    note.textContent = words;
    note.hidden = false;
  };
  for (const failure of ["htmx:sendError", "htmx:timeout"]) document.body.addEventListener(failure, tell(unreached));
  document.body.addEventListener("htmx:responseError", tell(refused));
  document.body.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful) note.hidden = true;
  });
});
