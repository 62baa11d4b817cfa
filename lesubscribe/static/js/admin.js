// Django's administration leaves some of its fields without a name that a screen reader could say. Those names
// stand on the page, in a label or at the head of a column; here they are given to the fields.

function text(element) {
  return element ? element.textContent.trim().replace(/[:?]$/, "") : "";
}

function nameOf(field) {
  const row = field.closest("tr.form-row, .form-row, fieldset");
  const cell = field.closest("td[class*='field-']");
  const column = cell && [...cell.classList].find((name) => name.startsWith("field-")).slice("field-".length);
  return (
    text(document.querySelector(`label[for="${CSS.escape(field.id)}"]`)) ||
    text(column && field.closest("table").querySelector(`th.column-${CSS.escape(column)}`)) ||
    text(row && row.querySelector("label, legend"))
  );
}

function giveNames() {
  for (const field of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (!field.labels?.length && !field.ariaLabel) field.ariaLabel = nameOf(field);
  }
  for (const select of document.querySelectorAll("select.select2-hidden-accessible")) {
    const name = nameOf(select);
    for (const part of select.nextElementSibling.querySelectorAll("[role=combobox], [role=textbox]")) {
      part.removeAttribute("aria-labelledby");
      part.ariaLabel = `${name}: ${text(part.querySelector(".select2-selection__rendered") ?? part)}`;
    }
  }
  for (const sign of document.querySelectorAll("span.help-tooltip[aria-label]")) sign.role = "img";
  for (const head of document.querySelectorAll("th")) if (!text(head) && !head.children.length) head.role = "cell";
}

giveNames();
new MutationObserver(giveNames).observe(document.body, { childList: true, subtree: true }); // fields come later, too
