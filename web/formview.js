/**
 * The form of a tool, on the page.
 *
 * In:  the fields that schemaform.js made of a schema. Out: an element; the arguments, once they can be sent.
 * Refuses to know: which tool it is, how it is called.
 */

import { h } from "./dom.js";
import { fill } from "./schemaform.js";

/** @typedef {import("./schemaform.js").Field} Field */

let count = 0;

export class Form {
  /** @param {Field[]} fields @param {() => void} changed */
  constructor(fields, changed) {
    count += 1;
    this.fields = fields;
    this.changed = changed;
    this.number = count;
    /** What the user touched, by path. @type {Map<string, string>} */
    this.typed = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.notes = new Map();
    this.element = h("div", { class: "form" }, this.#drawn(fields));
  }

  /** The arguments as they stand; `wrong` is shown beside the fields. @param {boolean} tells */
  read(tells) {
    const filled = fill(this.fields, this.typed);
    for (const [path, note] of this.notes) note.textContent = tells ? (filled.wrong.get(path) ?? "") : "";
    return filled;
  }

  /** @param {Field[]} fields @returns {Node[]} */
  #drawn(fields) {
    if (fields.length === 0) return [h("p", { class: "faint" }, "It takes no arguments.")];
    return fields.map((field) => (field.kind === "group" ? this.#group(field) : this.#single(field)));
  }

  /** @param {Field} field */
  #group(field) {
    return h(
      "fieldset",
      {},
      h("legend", {}, field.title, field.required ? null : h("span", { class: "faint" }, " optional")),
      field.about === "" ? null : h("p", { class: "faint" }, field.about),
      this.#drawn(field.fields),
    );
  }

  /** @param {Field} field */
  #single(field) {
    const id = `field-${this.number}-${field.path.replaceAll(/[^\w/-]/g, "_")}`;
    const note = h("p", { class: "field-wrong", id: `${id}-wrong`, role: "status" });
    this.notes.set(field.path, note);
    const input = this.#input(field, id);
    const about = [field.about, field.hint].filter((text) => text !== "").join(" ");
    return h(
      "div",
      { class: "form-field" },
      h(
        "label",
        { for: id },
        h("code", {}, field.name),
        field.title === field.name ? null : ` ${field.title}`,
        h("span", { class: "faint" }, field.required ? " required" : " optional"),
      ),
      about === "" ? null : h("p", { class: "faint", id: `${id}-about` }, about),
      input,
      note,
    );
  }

  /** @param {Field} field @param {string} id */
  #input(field, id) {
    const touch = (/** @type {Event} */ event) => {
      this.typed.set(field.path, /** @type {HTMLInputElement} */ (event.target).value);
      this.changed();
    };
    const common = {
      id,
      "aria-describedby": `${id}-wrong`,
      "aria-required": field.required ? "true" : null,
      on: { input: touch },
    };
    if (field.kind === "choice" || field.kind === "boolean") {
      const options =
        field.kind === "boolean"
          ? [
              ["true", "true"],
              ["false", "false"],
            ]
          : field.options.map((option, index) => [String(index), option.text]);
      const select = /** @type {HTMLSelectElement} */ (
        h(
          "select",
          common,
          h("option", { value: "" }, "(left out)"),
          options.map(([value, text]) => h("option", { value }, text)),
        )
      );
      select.value = field.start;
      return select;
    }
    const tag = field.kind === "json" || field.kind === "text" ? "textarea" : "input";
    const input = /** @type {HTMLInputElement} */ (
      h(tag, { ...common, spellcheck: "false", rows: tag === "textarea" ? (field.kind === "json" ? 3 : 1) : null })
    );
    if (tag === "input") input.setAttribute("inputmode", "decimal");
    input.value = field.start;
    return input;
  }
}
