// SPDX-License-Identifier: Apache-2.0
//
// Finding an element by its role and accessible name in Firefox, which reckons the names of a whole page anew for each
// question and takes minutes for it on a busy machine. This reads what the page's own elements have their names from; in
// Chromium the browser itself is asked, so that the names are tried there.
const ROLES = {
  button: "button, summary", link: "a[href]", checkbox: "input[type=checkbox]", radio: "input[type=radio]",
  textbox: "input:not([type]), input[type=text], input[type=search], textarea", spinbutton: "input[type=number]",
  combobox: "select", slider: "input[type=range], [role=slider]", tab: "[role=tab]",
};

// Carried out in the page, where it has nothing else of this file. While a dialog is open, all else is out of reach.
function queryAll(root, selector) {
  const { name, tags } = JSON.parse(selector);
  const within = document.querySelector("dialog[open]") ?? root;
  const labelOf = (each) => [...(each.labels ?? [])].map((label) => label.textContent).join(" ");
  const nameOf = (each) => each.getAttribute("aria-label") ?? (labelOf(each) || each.textContent || each.title);
  return [...within.querySelectorAll(tags)].filter((each) => nameOf(each).trim() === name && each.checkVisibility());
}

export function registerNamed(puppeteer) {
  puppeteer.Puppeteer.registerCustomQueryHandler("named", { queryAll });
}

export function named(name, role) {
  return `named/${JSON.stringify({ name, tags: role ? ROLES[role] : Object.values(ROLES).join(", ") })}`;
}
