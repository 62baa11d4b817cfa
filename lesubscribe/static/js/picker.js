// The tree picker (schema_registry/parts/picker.html): chosen values are chips, others are found by typing
// (a combobox with a list box) or in the tree below. It fires `change` whenever the choice changes.
"use strict";

(() => {
  const WAIT = 200; // ms after the last key

  class Picker {
    constructor(root) {
      this.root = root;
      this.chips = root.querySelector(".chips");
      this.model = root.querySelector("template");
      this.field = root.querySelector(".seek input");
      this.found = root.querySelector(".found");
      this.status = root.querySelector("[role=status]");
      this.isMultiple = root.hasAttribute("data-multiple");
      this.prepare();
      this.listen();
    }

    // From the form that works without scripts to the one that needs them.
    prepare() {
      for (const chip of this.chips.children) {
        chip.querySelector("input").type = "hidden";
        chip.querySelector(".remove").hidden = false;
      }
      this.field.removeAttribute("name");
      this.field.setAttribute("role", "combobox");
      this.field.setAttribute("aria-autocomplete", "list");
      this.field.setAttribute("aria-controls", this.found.id);
      this.field.setAttribute("aria-expanded", "false");
      this.root.querySelector(".look-through").hidden = false;
    }

    listen() {
      this.field.addEventListener("input", (event) => { event.stopPropagation(); this.seekSoon(); });
      this.field.addEventListener("change", (event) => event.stopPropagation()); // only a choice is a change
      this.field.addEventListener("keydown", (event) => this.key(event));
      this.field.addEventListener("blur", () => this.close());
      this.found.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
      this.found.addEventListener("click", (event) => this.pick(event.target.closest("[data-value]")));
      this.root.addEventListener("click", (event) => {
        const remove = event.target.closest(".remove");
        if (remove) this.remove(remove.closest(".chip"));
        const pick = event.target.closest("[data-pick]");
        if (pick) this.toggle(pick);
      });
      this.root.addEventListener("htmx:afterSwap", () => this.markChosen());
    }

    chip(value) {
      return [...this.chips.children].find((each) => each.dataset.value === value);
    }

    options() {
      return [...this.found.querySelectorAll("[data-value]")];
    }

    // Choosing ------------------------------------------------------------------------------------------

    pick(option) {
      if (!option) return;
      this.add(option.dataset);
      this.field.value = "";
      this.close();
    }

    toggle(button) {
      const chip = this.chip(button.dataset.value);
      if (chip) this.drop(chip);
      else this.add(button.dataset);
    }

    add({ value, label, path }) {
      if (this.chip(value)) return;
      if (!this.isMultiple) this.chips.replaceChildren();
      const chip = this.model.content.firstElementChild.cloneNode(true);
      const remove = chip.querySelector(".remove");
      chip.dataset.value = value;
      chip.querySelector("input").value = value;
      chip.querySelector("bdi").textContent = label;
      if (path) chip.querySelector("span").title = `${path} > ${label}`;
      remove.setAttribute("aria-label", `${remove.dataset.says} ${label}`);
      this.chips.append(chip);
      this.changed();
    }

    remove(chip) {
      const next = chip.nextElementSibling ?? chip.previousElementSibling;
      this.drop(chip);
      (next?.querySelector(".remove") ?? this.field).focus();
    }

    drop(chip) {
      chip.remove();
      this.changed();
    }

    changed() {
      this.markChosen();
      this.root.dispatchEvent(new Event("change", { bubbles: true }));
    }

    markChosen() {
      for (const button of this.root.querySelectorAll("[data-pick]")) {
        button.setAttribute("aria-pressed", String(Boolean(this.chip(button.dataset.value))));
      }
    }

    // Finding -------------------------------------------------------------------------------------------

    seekSoon() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.seek(), WAIT);
    }

    async seek() {
      this.asked?.abort();
      const typed = this.field.value.trim();
      if (!typed) return this.close();
      this.asked = new AbortController();
      this.field.setAttribute("aria-busy", "true");
      try {
        const query = new URLSearchParams({ q: typed, pick: "1" });
        const answer = await fetch(`${this.root.dataset.values}?${query}`, { signal: this.asked.signal });
        if (answer.ok) this.show(await answer.text());
      } catch (error) {
        if (error.name === "AbortError") return;
        this.close(); // no connection: the field stays as it is, and typing on asks again
      }
      this.field.removeAttribute("aria-busy");
    }

    show(html) {
      if (document.activeElement !== this.field) return;
      this.found.innerHTML = html; // our own page, escaped there
      this.options().forEach((option, number) => { option.id = `${this.found.id}-${number}`; });
      this.status.textContent = this.found.querySelector("[data-says]")?.textContent ?? "";
      this.found.hidden = false;
      this.field.setAttribute("aria-expanded", "true");
      this.activate(this.options()[0]);
    }

    close() {
      clearTimeout(this.timer);
      this.asked?.abort();
      this.field.removeAttribute("aria-busy");
      this.found.hidden = true;
      this.found.replaceChildren();
      this.status.textContent = "";
      this.field.setAttribute("aria-expanded", "false");
      this.field.removeAttribute("aria-activedescendant");
    }

    active() {
      return this.found.querySelector("[aria-selected=true]");
    }

    activate(option) {
      this.active()?.setAttribute("aria-selected", "false");
      if (!option) return this.field.removeAttribute("aria-activedescendant");
      option.setAttribute("aria-selected", "true");
      option.scrollIntoView({ block: "nearest" });
      this.field.setAttribute("aria-activedescendant", option.id);
    }

    step(by) {
      const options = this.options();
      const here = options.indexOf(this.active());
      this.activate(options[(here + by + options.length) % options.length]);
    }

    key(event) {
      const isOpen = !this.found.hidden;
      switch (event.key) {
        case "ArrowDown": if (isOpen) this.step(1); else this.seek(); break;
        case "ArrowUp": if (isOpen) this.step(-1); break;
        case "Enter": this.pick(this.active()); break; // never sends the form half-typed
        case "Escape": if (!isOpen) return; this.field.value = ""; this.close(); break;
        default: return;
      }
      event.preventDefault();
    }
  }

  const prepared = new WeakSet();

  const prepareIn = (part) => {
    const pickers = [...part.querySelectorAll(".picker")];
    if (part.matches?.(".picker")) pickers.push(part);
    for (const root of pickers) {
      if (prepared.has(root)) continue;
      prepared.add(root);
      new Picker(root);
    }
  };

  document.addEventListener("DOMContentLoaded", () => prepareIn(document));
  document.addEventListener("htmx:load", (event) => prepareIn(event.detail.elt));
})();
