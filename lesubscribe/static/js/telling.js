// How to be told: suggests the device's time zone.
"use strict";

(() => {
  const suggestZone = () => {
    const hint = document.querySelector("[data-suggests-zone]");
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (!hint || !zone) {
      return;
    }
    const field = document.getElementById(hint.dataset.suggestsZone);
    const isKnown = [...document.querySelectorAll("#time-zones option")].some((each) => each.value === zone);
    const button = hint.querySelector("button");
    const update = () => { hint.hidden = !isKnown || field.value === zone; };
    button.textContent = zone;
    button.addEventListener("click", () => {
      field.value = zone;
      field.dispatchEvent(new Event("change", { bubbles: true }));
      field.focus();
    });
    field.addEventListener("change", update);
    update();
  };

  suggestZone();
})();
