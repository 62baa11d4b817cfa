// Buttons that copy: <button hidden data-copies="its id" data-done="Copied">Copy</button> the text of an element,
// data-copy="the text" a text that stands nowhere. Without scripts they stay hidden.
"use strict";

(() => {
  const SHOWN = 2000; // ms
  const BUTTONS = "button[data-copies], button[data-copy]";

  const offer = (root) => {
    for (const button of root.querySelectorAll(BUTTONS)) button.hidden = false;
  };

  // Browsers give the clipboard to pages of secure origins only; elsewhere an old command copies what is
  // selected. Where that is refused too, the text stays selected for Ctrl-C.
  const copied = async (button) => {
    const source = document.getElementById(button.dataset.copies);
    const text = source ? (source.value ?? source.textContent) : button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return source ? copiedFrom(source) : copiedBeside(button, text);
    }
  };

  const copiedFrom = (source) => {
    if (source.select) source.select();
    else getSelection().selectAllChildren(source);
    return document.execCommand("copy");
  };

  const copiedBeside = (button, text) => {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    button.after(field);
    const done = copiedFrom(field);
    field.remove();
    button.focus();
    return done;
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest(BUTTONS);
    if (!button || button.dataset.said || !(await copied(button))) return;
    button.dataset.said = button.textContent;
    button.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = button.dataset.said;
      delete button.dataset.said;
    }, SHOWN);
  });
  document.addEventListener("htmx:load", (event) => offer(event.target));
  offer(document);
})();
