/**
 * The command palette: everything the page can do, found by typing.
 *
 * In:  commands, asked for at each opening. Out: a dialog; the chosen command runs when it is closed.
 * Refuses to know: what the commands do.
 *
 * A text field with a list that it controls (the combobox pattern): the field keeps the focus, `aria-activedescendant`
 * says which entry is meant.
 *
 * @typedef {import("./commands.js").Command} Command
 */

import { h } from "./dom.js";

export class Palette {
  /** @param {() => Command[]} commands */
  constructor(commands) {
    this.commands = commands;
    /** @type {Command[]} */
    this.found = [];
    this.at = 0;
    this.input = /** @type {HTMLInputElement} */ (
      h("input", {
        type: "text",
        role: "combobox",
        "aria-expanded": "true",
        "aria-controls": "palette-list",
        "aria-autocomplete": "list",
        "aria-label": "Command",
        placeholder: "Type a command",
        autocomplete: "off",
        spellcheck: "false",
        on: { input: () => this.#find(), keydown: (/** @type {KeyboardEvent} */ event) => this.#key(event) },
      })
    );
    this.list = h("ul", { id: "palette-list", role: "listbox", "aria-label": "Commands" });
    this.none = h("p", { class: "faint", role: "status" });
    this.dialog = /** @type {HTMLDialogElement} */ (
      h("dialog", { id: "palette", "aria-label": "Command palette" }, this.input, this.list, this.none)
    );
    document.body.append(this.dialog);
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    document.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (this.dialog.open) this.dialog.close();
      else this.open();
    });
  }

  open() {
    if (document.querySelector("dialog[open]") !== null) return;
    this.input.value = "";
    this.dialog.showModal();
    this.#find();
    this.input.focus();
  }

  #find() {
    const words = this.input.value.toLowerCase().split(/\s+/);
    this.found = this.commands().filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
    this.at = 0;
    this.none.textContent = this.found.length === 0 ? "No command has these words." : "";
    this.list.replaceChildren(
      ...this.found.map((command, index) =>
        h(
          "li",
          { role: "option", id: `command-${index}`, on: { click: () => this.#run(command) } },
          h("span", {}, command.name),
          command.key === "" ? null : h("kbd", {}, command.key),
        ),
      ),
    );
    this.#mark();
  }

  #mark() {
    [...this.list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === this.at)));
    const item = this.list.children[this.at];
    if (item === undefined) this.input.removeAttribute("aria-activedescendant");
    else this.input.setAttribute("aria-activedescendant", item.id);
    item?.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && this.found.length > 0) {
      event.preventDefault();
      this.at = (this.at + step + this.found.length) % this.found.length;
      this.#mark();
    }
    if (event.key === "Enter" && this.found[this.at] !== undefined) {
      event.preventDefault();
      this.#run(this.found[this.at]);
    }
  }

  /** @param {Command} command */
  #run(command) {
    this.dialog.close();
    command.run();
  }
}
