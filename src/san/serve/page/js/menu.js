// A menu that opens at a button: arrow keys walk it, the letter of an item chooses it, Escape closes it.

const EDGE = 8; // pixels kept free around the window's edge

export class Menu extends EventTarget {
  #menu;
  #button;

  /** Tells `choose` with the item's `data-item`. An item with `aria-checked` is a switch. */
  constructor(menu, button) {
    super();
    this.#menu = menu;
    this.#button = button;
    button.addEventListener("click", () => (menu.matches(":popover-open") ? this.close() : this.open()));
    menu.addEventListener("click", (event) => this.#choose(event.target.closest("[data-item]")));
    menu.addEventListener("keydown", (event) => this.#key(event));
    menu.addEventListener("toggle", ({ newState }) => button.setAttribute("aria-expanded", newState === "open"));
  }

  open() {
    if (this.#button.disabled) return false;
    this.#menu.showPopover();
    const anchor = this.#button.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height, style } = this.#menu;
    const within = (value, most) => Math.max(EDGE, Math.min(value, most - EDGE));
    style.left = `${within(anchor.right - width, innerWidth - width)}px`;
    style.top = `${within(anchor.bottom + 4, innerHeight - height)}px`;
    this.#items[0].focus();
    return true;
  }

  close() {
    if (!this.#menu.matches(":popover-open")) return;
    this.#menu.hidePopover();
    this.#button.focus({ preventScroll: true });
  }

  get #items() {
    return [...this.#menu.querySelectorAll("[data-item]:not(:disabled)")];
  }

  #choose(item) {
    if (!item || item.disabled) return;
    if (!item.hasAttribute("aria-checked")) this.close();
    this.dispatchEvent(new CustomEvent("choose", { detail: item.dataset.item }));
  }

  #key(event) {
    const items = this.#items;
    const at = items.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const letter = items.find((item) => item.dataset.key === event.key.toLowerCase());
    if (step) items[(at + step + items.length) % items.length].focus();
    else if (event.key === "Escape") this.close();
    else if (event.key === "Tab") this.#menu.hidePopover();
    else if (letter && !event.ctrlKey && !event.metaKey && !event.altKey) this.#choose(letter);
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  }
}
