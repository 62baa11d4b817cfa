// The editor of a search as text: <search-editor> round a textarea (templates/lesubscribe/parts/editor.html).
//
// Behind the textarea, whose letters are see-through, lies a layer with the same text in colours. After a pause in
// typing the server says what could come next, and what is wrong. To the rest of the page it is a textarea.

import { Offers } from "./editor_offers.js";
import { tokens } from "./editor_tokens.js";

const OFFER_AFTER = 120; // milliseconds without a key
const CHECK_AFTER = 450;
const MOST_SENT = 5_000; // characters: more than a search may have, so the answer says that it is too long
const INVISIBLE = "\u200b"; // gives an empty last line its height

class SearchEditor extends HTMLElement {
  #field;
  #layer;
  #said;
  #offers;
  #wrong = null; // [start, end] of the mistake
  #told = "";
  #timers = {};
  #questions = {};

  connectedCallback() {
    this.querySelectorAll(".editor-layer, .editor-offers, .editor-sheet > .visually-hidden").forEach((old) => old.remove());
    this.#field = this.querySelector("textarea");
    this.#said = this.querySelector(".editor-said");
    this.#layer = document.createElement("div");
    this.#layer.className = "editor-layer";
    this.#layer.setAttribute("aria-hidden", "true");
    this.#field.before(this.#layer);
    this.#offers = new Offers(this.#field, this.dataset, (offer) => this.#take(offer));
    this.classList.add("is-alive");
    this.#listen();
    this.#paint();
    if (this.#field.value.trim()) this.#later("check", CHECK_AFTER, () => this.#check());
  }

  disconnectedCallback() {
    Object.values(this.#timers).forEach(clearTimeout);
    Object.values(this.#questions).forEach((question) => question.abort());
  }

  #listen() {
    const field = this.#field;
    field.addEventListener("input", () => this.#edited());
    field.addEventListener("keydown", (event) => this.#key(event));
    field.addEventListener("blur", () => {
      this.#offers.hide();
      this.#later("check", 0, () => this.#check());
    });
    field.addEventListener("click", () => this.#offers.hide());
    field.form?.addEventListener("reset", () => setTimeout(() => this.#replaced()));
    this.addEventListener("lesubscribe:settext", (event) => {
      if (event.detail === field.value) return;
      field.value = event.detail;
      this.#replaced();
    });
  }

  #edited() {
    this.#wrong = null;
    this.#paint();
    this.#later("offer", OFFER_AFTER, () => this.#offer({ isAsked: false }));
    this.#later("check", CHECK_AFTER, () => this.#check());
  }

  #replaced() {
    this.#offers.hide();
    this.#wrong = null;
    this.#paint();
    this.#check();
  }

  #key(event) {
    const offers = this.#offers;
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey && !event.isComposing;
    if (event.ctrlKey && event.code === "Space") {
      this.#offer({ isAsked: true });
    } else if (!isPlain || !offers.isOpen) {
      return;
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      offers.move(event.key === "ArrowDown" ? 1 : -1);
    } else if ((event.key === "Enter" || event.key === "Tab") && this.#upToDate(offers.active)) {
      this.#take(offers.active);
    } else if (event.key === "Escape") {
      clearTimeout(this.#timers.offer); // what is asked for already must not open the list again
      this.#questions.completions?.abort();
      offers.hide();
      this.#check();
    } else {
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") offers.hide();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // Completion ---------------------------------------------------------------------------------------------

  async #offer({ isAsked, isNext = false }) {
    const text = this.#field.value;
    const cursor = this.#field.selectionEnd;
    if (text.length > MOST_SENT || cursor !== this.#field.selectionStart) return this.#offers.hide();
    const answer = await this.#ask("completions", { text, cursor: points(text, cursor) });
    const isStale = text !== this.#field.value || cursor !== this.#field.selectionEnd;
    if (!answer || isStale || document.activeElement !== this.#field) return;
    const start = units(text, answer.start);
    const typed = text.slice(start, cursor);
    const isWhole = answer.offers.some((offer) => offer.text === typed);
    const isWanted = isAsked || isNext || typed !== "";
    if (!isWanted || !answer.offers.length || (isWhole && answer.offers.length === 1)) return this.#offers.hide();
    // Without a letter typed nothing is chosen, so that Tab still leaves and Enter still breaks the line.
    const firstIsActive = typed !== "" && !isWhole;
    const offers = answer.offers.map((offer) => ({ ...offer, start, end: cursor }));
    this.#offers.show(offers, { below: this.#placeOf(start), firstIsActive });
  }

  /** The offer as it fits what has been typed since it was made; undefined if it does not, or there is none. */
  #upToDate(offer) {
    const cursor = this.#field.selectionEnd;
    if (!offer || cursor === offer.end) return offer;
    const typed = this.#field.value.slice(offer.start, cursor);
    return typed && offer.text.startsWith(typed) ? { ...offer, end: cursor } : undefined;
  }

  #take(offered) {
    const offer = this.#upToDate(offered);
    if (!offer) return;
    const { text, start, end } = offer;
    const following = this.#field.value[end] ?? "";
    const space = text === "(" || /[\s),]/.test(following) ? "" : " ";
    this.#offers.hide();
    this.#put(text + space, start, end);
    this.#later("offer", 0, () => this.#offer({ isAsked: false, isNext: true }));
  }

  /** Puts a text in as if it had been typed, so that it can be undone, and the page hears of it. */
  #put(text, start, end) {
    const field = this.#field;
    field.focus();
    field.setSelectionRange(start, end);
    if (!document.execCommand("insertText", false, text)) {
      field.setRangeText(text, start, end, "end");
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }
  }

  // Mistakes -----------------------------------------------------------------------------------------------

  async #check() {
    const text = this.#field.value;
    if (!text.trim()) return this.#tell(null, text);
    const answer = await this.#ask("check", { text: text.slice(0, MOST_SENT) });
    if (answer && text === this.#field.value) this.#tell(answer.ok ? null : answer.error, text);
  }

  #tell(error, text) {
    const start = error ? units(text, error.start) : 0;
    const end = error ? units(text, error.end) : 0;
    const isWrong = Boolean(error) && !this.#isUnfinished(start, end);
    this.#wrong = isWrong ? [start, end] : null;
    this.classList.toggle("is-wrong", isWrong);
    if (isWrong) this.#field.setAttribute("aria-invalid", "true");
    else this.#field.removeAttribute("aria-invalid");
    this.#paint();
    const told = JSON.stringify(error);
    if (told === this.#told) return; // a button that is being clicked must not be put anew
    this.#told = told;
    this.#said.replaceChildren(...(error ? [error.message] : []));
    if (error?.suggestion) this.#said.append(" ", this.#button(error.suggestion, start, end));
  }

  /** What somebody is about to write is not wrong yet: the end of the text, or the word that offers are for. */
  #isUnfinished(start, end) {
    const { value, selectionEnd } = this.#field;
    const isInHand = this.#offers.isOpen && start <= selectionEnd && selectionEnd <= end;
    return document.activeElement === this.#field && (isInHand || start >= value.trimEnd().length);
  }

  #button(suggestion, start, end) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = this.dataset.use.replace("%s", suggestion);
    button.addEventListener("click", () => this.#put(suggestion, start, end));
    return button;
  }

  // The layer ----------------------------------------------------------------------------------------------

  #paint() {
    const text = this.#field.value;
    const [from, to] = this.#wrong ?? [Infinity, Infinity];
    const pieces = [];
    const add = (start, end, kind) => {
      for (const [a, b] of [[start, Math.min(end, from)], [Math.max(start, from), Math.min(end, to)], [Math.max(start, to), end]]) {
        if (a < b) pieces.push(piece(text.slice(a, b), a >= from && a < to ? `${kind} wrong` : kind));
      }
    };
    let place = 0;
    for (const [start, end, kind] of tokens(text)) {
      add(place, start, "");
      add(start, end, kind);
      place = end;
    }
    add(place, text.length, "");
    pieces.push(from >= text.length && this.#wrong ? piece("\u00a0", "wrong") : INVISIBLE);
    this.#layer.replaceChildren(...pieces);
  }

  /** Where on the screen the character at this place stands. */
  #placeOf(place) {
    const walker = document.createTreeWalker(this.#layer, NodeFilter.SHOW_TEXT);
    let node;
    while ((node = walker.nextNode()) && place >= node.length) place -= node.length;
    const range = document.createRange();
    range.setStart(node ?? this.#layer, node ? place : 0);
    range.setEnd(node ?? this.#layer, node ? Math.min(place + 1, node.length) : 0);
    return range.getBoundingClientRect();
  }

  // The server ---------------------------------------------------------------------------------------------

  /** The answer; null if none came, or the same question was asked anew meanwhile. */
  async #ask(question, document) {
    this.#questions[question]?.abort();
    const asked = (this.#questions[question] = new AbortController());
    try {
      const answer = await fetch(this.dataset[question], {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": this.dataset.csrf },
        body: JSON.stringify(document),
        signal: asked.signal,
      });
      return answer.ok ? await answer.json() : null;
    } catch {
      return null; // the person can write on without us
    }
  }

  #later(what, milliseconds, work) {
    clearTimeout(this.#timers[what]);
    this.#timers[what] = setTimeout(work, milliseconds);
  }
}

function piece(text, kind) {
  const span = document.createElement("span");
  span.className = kind;
  span.textContent = text;
  return span;
}

// The server counts code points, JavaScript counts halves of surrogate pairs.
function points(text, units) {
  return [...text.slice(0, units)].length;
}

function units(text, points) {
  return [...text].slice(0, points).join("").length;
}

customElements.define("search-editor", SearchEditor);
