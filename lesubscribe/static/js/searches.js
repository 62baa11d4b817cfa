/* The list of searches: one tick for all on the page, and how many are ticked. A file that is read says so.
 *
 * All of it works without this file; what only makes sense with it is hidden until it runs. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  for (const control of document.querySelectorAll("[data-submits]")) {
    control.addEventListener("change", () => control.form.requestSubmit());
  }

  for (const form of document.querySelectorAll("[data-takes-long]")) {
    const button = form.querySelector("button");
    const status = form.querySelector("[role=status]");
    const isSent = (sent) => {
      button.disabled = sent;
      button.setAttribute("aria-busy", sent);
      status.textContent = sent ? form.dataset.takesLong : "";
    };
    form.addEventListener("submit", () => isSent(true));
    window.addEventListener("pageshow", () => isSent(false)); // somebody has come back to it
  }

  const every = document.querySelector("[data-every]");
  if (!every) return;
  const everyTick = every.querySelector("input");
  const chosen = document.querySelector("[data-which] option[value=chosen]");
  const ticks = () => [...document.querySelectorAll(".search > input[name=number]")];

  const show = () => {
    const all = ticks();
    const count = all.filter((tick) => tick.checked).length;
    everyTick.checked = count > 0 && count === all.length;
    everyTick.indeterminate = count > 0 && count < all.length;
    chosen.textContent = `${chosen.dataset.words} (${count})`;
  };
  const choose = () => {
    show();
    chosen.parentElement.value = "chosen"; // whoever ticks means the ticked ones
  };

  every.hidden = false;
  everyTick.addEventListener("change", () => {
    for (const tick of ticks()) tick.checked = everyTick.checked;
    choose();
  });
  document.addEventListener("change", (event) => {
    if (event.target.name === "number") choose();
  });
  document.addEventListener("htmx:afterSwap", show); // a new row comes without a tick
  show(); // a browser may remember ticks
});
