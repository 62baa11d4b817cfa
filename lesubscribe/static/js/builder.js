// The form of a search keeps its conditions and its text in step; the server turns each into the other
// (templates/notifications/search/). Here is what is left: the text follows, then the preview; a list of values grows;
// and nothing that somebody types or chooses while an answer is on its way is lost.
"use strict";

(() => {
  const form = () => document.getElementById("search-form");
  const isTyped = (element) => element?.matches?.("#rows input[type=text][id], #rows select[id]");
  let kept = null; // the field under the cursor when an answer came

  // The text and the preview follow the conditions -------------------------------------------------------

  const follow = (event) => {
    const field = form().querySelector("textarea[name=text]");
    if (event.target.id !== "as-text") {
      const text = document.getElementById("text-was").value;
      field.dispatchEvent(new CustomEvent("lesubscribe:settext", { bubbles: true, detail: text }));
      if (field.value !== text) field.value = text;
    }
    document.getElementById("examples")?.toggleAttribute("hidden", Boolean(field.value));
    htmx.trigger("#preview", "lesubscribe:preview");
  };

  // A list of values always has room for one more ---------------------------------------------------------

  const grow = (event) => {
    const list = event.target.closest?.("[data-several]");
    const fields = list ? [...list.querySelectorAll("input")] : [];
    const last = fields.at(-1);
    if (!last || last !== event.target || !last.value.trim()) return;
    const next = last.cloneNode();
    const number = fields.length + 1;
    next.value = "";
    next.id = last.id.replace(/\d+$/, number);
    next.setAttribute("aria-label", last.getAttribute("aria-label").replace(/\d+/, number));
    last.after(next);
  };

  // A picker that takes one value hides its field once it has it: the focus goes to the value -----------

  const chosen = (event) => {
    const picker = event.target;
    if (!picker.matches?.(".picker:not([data-multiple])") || !picker.contains(document.activeElement)) return;
    picker.querySelector(".chip .remove")?.focus();
  };

  // Answers -----------------------------------------------------------------------------------------------

  const trouble = (isThere) => { document.getElementById("trouble").hidden = !isThere; };

  const beforeSwap = (event) => {
    const { xhr, pathInfo } = event.detail;
    const cameFrom = xhr.responseURL ? new URL(xhr.responseURL).pathname : "";
    // Somebody who was signed out meanwhile gets the page to sign in, which has no place here.
    if (cameFrom && cameFrom !== new URL(pathInfo.requestPath, location.href).pathname) {
      event.detail.shouldSwap = false;
      return trouble(true);
    }
    if (xhr.status < 400) trouble(false);
    const active = document.activeElement;
    kept = event.detail.target.id === "rows" && isTyped(active) ? { id: active.id, value: active.value } : null;
  };

  const afterSettle = () => {
    const field = kept && document.getElementById(kept.id);
    if (field && field === document.activeElement && field.value !== kept.value) {
      field.value = kept.value;
      field.dispatchEvent(new Event(field.matches("select") ? "change" : "input", { bubbles: true }));
    }
    kept = null;
  };

  // It is saved once, however often somebody presses the button -----------------------------------------

  const saving = () => form().querySelector("button[value=save]");
  const isSent = (sent) => {
    saving().disabled = sent;
    saving().setAttribute("aria-busy", sent);
  };

  const send = (event) => {
    if (event.target !== form() || event.submitter !== saving() || event.defaultPrevented) return;
    setTimeout(() => isSent(true)); // not before its value is taken along
    setTimeout(() => isSent(false), 10_000); // should no answer come
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.body.addEventListener("submit", send);
    window.addEventListener("pageshow", () => isSent(false)); // somebody has come back to it
    document.body.addEventListener("lesubscribe:built", follow);
    document.body.addEventListener("input", grow);
    document.body.addEventListener("change", chosen);
    document.body.addEventListener("htmx:beforeSwap", beforeSwap);
    document.body.addEventListener("htmx:afterSettle", afterSettle);
    for (const failure of ["htmx:sendError", "htmx:responseError"]) {
      document.body.addEventListener(failure, () => trouble(true));
    }
  });
})();
