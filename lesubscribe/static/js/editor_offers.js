// The list of what could come next in the editor. The focus stays in the text; `aria-activedescendant` says to
// assistive technology which offer is the chosen one. (A textarea may not be a combobox, so it has no `aria-expanded`:
// how many offers there are is said in a live region.)

let lists = 0;

export class Offers {
  #field;
  #list = document.createElement("ul");
  #said = document.createElement("span");
  #words;
  #active = -1;
  #choose;

  /** `words` has the texts: offers, offeredOne, offered. `choose` is called with an offer somebody clicked on. */
  constructor(field, words, choose) {
    this.#field = field;
    this.#words = words;
    this.#choose = choose;
    this.#list.id = `editor-offers-${++lists}`;
    this.#list.className = "editor-offers";
    this.#list.setAttribute("role", "listbox");
    this.#list.tabIndex = -1; // a list that scrolls would else be a stop of the Tab key
    this.#list.setAttribute("aria-label", words.offers);
    this.#list.hidden = true;
    this.#list.addEventListener("mousedown", (event) => event.preventDefault()); // the text keeps the focus
    this.#list.addEventListener("click", (event) => this.#clicked(event));
    this.#said.className = "visually-hidden";
    this.#said.setAttribute("aria-live", "polite");
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", this.#list.id);
    field.after(this.#list, this.#said);
  }

  offers = [];

  get isOpen() {
    return !this.#list.hidden;
  }

  /** The offer that Enter would take, if any. */
  get active() {
    return this.isOpen ? this.offers[this.#active] : undefined;
  }

  /** Show the offers under a place of the text, the first of them chosen if it is wanted. */
  show(offers, { below, firstIsActive }) {
    this.offers = offers;
    this.#list.replaceChildren(...offers.map((offer, place) => this.#option(offer, place)));
    this.#list.hidden = false;
    this.#said.textContent = offers.length === 1 ? this.#words.offeredOne : this.#words.offered.replace("%s", offers.length);
    this.#put(below);
    this.#activate(firstIsActive ? 0 : -1);
  }

  hide() {
    this.#list.hidden = true;
    this.#said.textContent = "";
    this.#activate(-1);
  }

  /** One up or down, round the ends. */
  move(step) {
    const count = this.offers.length;
    const from = this.#active < 0 && step < 0 ? 0 : this.#active;
    this.#activate((from + step + count) % count);
  }

  #option(offer, place) {
    const option = document.createElement("li");
    option.id = `${this.#list.id}-${place}`;
    option.setAttribute("role", "option");
    const text = document.createElement("code");
    text.textContent = offer.text;
    option.append(text);
    if (offer.detail) {
      const detail = document.createElement("small");
      detail.textContent = offer.detail;
      option.append(" ", detail);
    }
    return option;
  }

  #activate(place) {
    this.#active = place;
    [...this.#list.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === place)));
    const chosen = this.#list.children[place];
    if (chosen) {
      this.#field.setAttribute("aria-activedescendant", chosen.id);
      chosen.scrollIntoView({ block: "nearest" });
    } else {
      this.#field.removeAttribute("aria-activedescendant");
    }
  }

  /** Under the place, but no further right than the sheet goes. */
  #put({ left, bottom }) {
    const sheet = this.#list.offsetParent.getBoundingClientRect();
    const room = sheet.width - this.#list.offsetWidth;
    this.#list.style.left = `${Math.max(0, Math.min(left - sheet.left, room))}px`;
    this.#list.style.top = `${bottom - sheet.top + 4}px`;
  }

  #clicked(event) {
    const option = event.target.closest("[role=option]");
    if (option) this.#choose(this.offers[[...this.#list.children].indexOf(option)]);
  }
}
