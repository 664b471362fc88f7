// The tree folds away, and the space goes to the ink; on a low screen it begins folded. What is chosen is
// kept on this device.

import { keepSetting, setting } from "./setting.js";

const KEY = "san.tree";
const LOW = "(max-height: 34rem)";

export function foldable(button, whole) {
  const use = (open) => {
    button.setAttribute("aria-expanded", open);
    whole.classList.toggle("tree-folded", !open);
  };
  const low = matchMedia(LOW);
  const rest = () => use((setting(KEY) ?? (low.matches ? "folded" : "open")) === "open");
  low.addEventListener("change", rest);
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    use(open);
    keepSetting(KEY, open ? "open" : "folded");
  });
  rest();
}
