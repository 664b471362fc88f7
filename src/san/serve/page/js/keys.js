// Shortcuts. With Ctrl (or Cmd) they work everywhere but in a text field; single keys only while the
// sheet or its tools have the focus, so that speech input and screen readers are not disturbed.

export function listenForKeys(sheet, actions) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || inField(event.target)) return;
    const command = event.ctrlKey || event.metaKey || event.key === "F2";
    const name = command ? withCommand(event) : sheet.contains(event.target) ? SINGLE[event.key] : null;
    if (!name || (event.key === "Enter" && event.target.closest("button"))) return;
    if (actions[name]() === false) return; // nothing to do: leave the key to the browser
    event.preventDefault();
  });
}

const SINGLE = {
  w: "write",
  e: "erase",
  p: "point",
  l: "lasso",
  c: "copyAs",
  k: "collect",
  h: "device",
  o: "open",
  Delete: "clear",
  Backspace: "clear",
  Enter: "readPart",
  Escape: "back",
  "?": "help",
};

function withCommand(event) {
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  if (key === "y") return "redo";
  if (key === "f2") return "edit";
  // Where nothing is selected, copying means the formula.
  if (key === "c" && getSelection().isCollapsed && !event.shiftKey) return "copy";
  return null;
}

function inField(target) {
  return target.closest?.("input, textarea, select") !== null;
}
