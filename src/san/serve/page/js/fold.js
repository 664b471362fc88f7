// The tree folds away, and the space goes to the ink; on a low screen it begins folded. What is chosen is
// kept on this device.

const KEY = "san.tree";
const LOW = "(max-height: 34rem)";

export function foldable(button, whole) {
  const use = (open) => {
    button.setAttribute("aria-expanded", open);
    whole.classList.toggle("tree-folded", !open);
  };
  const low = matchMedia(LOW);
  const rest = () => use((localStorage.getItem(KEY) ?? (low.matches ? "folded" : "open")) === "open");
  low.addEventListener("change", rest);
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    use(open);
    try {
      localStorage.setItem(KEY, open ? "open" : "folded");
    } catch {
      // Storage is forbidden: the next visit begins as the screen is.
    }
  });
  rest();
}
