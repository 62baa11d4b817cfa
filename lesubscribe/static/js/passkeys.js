// Passkeys: a form with data-passkey="create" or "get" asks the browser for one before it is sent, and sends it as
// `credential`. What to ask for is JSON in the element that data-options names, or is fetched from data-ask. The form
// has a button [data-starts], hidden until we know that the browser can, and [data-said], whose data- attributes are
// what we say when nothing came of it; [data-unable] goes. `webauthnJSON` (of allauth) turns bytes into text and back.
"use strict";

(() => {
  const OUTCOMES = {
    NotAllowedError: "cancelled", // also when it took too long: browsers do not tell these apart
    AbortError: "cancelled",
    InvalidStateError: "known",
    SecurityError: "elsewhere",
  };

  const optionsOf = async (form) => {
    if (form.dataset.options) return JSON.parse(document.getElementById(form.dataset.options).textContent);
    const answer = await fetch(form.dataset.ask, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  };

  // A passkey that opens alone must be found without a name, and must know its owner.
  const chosen = (form, options) => {
    const alone = form.elements.passwordless?.checked;
    const wishes = options.publicKey.authenticatorSelection;
    wishes.residentKey = alone ? "required" : "discouraged";
    wishes.requireResidentKey = alone;
    if (alone) wishes.userVerification = "required";
    return options;
  };

  const asked = async (form) => {
    const options = await optionsOf(form);
    if (form.dataset.passkey === "create") return webauthnJSON.create(chosen(form, options.creation_options));
    return webauthnJSON.get(options.request_options);
  };

  const send = async (form) => {
    const button = form.querySelector("[data-starts]");
    const said = form.querySelector("[data-said]");
    said.hidden = true;
    button.disabled = true;
    try {
      form.elements.credential.value = JSON.stringify(await asked(form));
      form.submit();
    } catch (error) {
      said.textContent = said.dataset[OUTCOMES[error.name] ?? "failed"];
      said.hidden = false;
      button.disabled = false;
    }
  };

  if (!window.PublicKeyCredential) return;
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.querySelector("[data-starts]").hidden = false;
    form.querySelector("[data-unable]")?.remove();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form);
    });
  }
})();
