// Into the clipboard, in several types at once; also where the page is not served securely (a tablet on
// the same network), though no pictures then.

/** `types`: by media type a text, or a Blob that may still be on its way. */
export async function copy(types) {
  try {
    const items = Object.entries(types).map(([type, content]) => [type, blobOf(type, content)]);
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(items))]);
    return true;
  } catch {
    return copyByEvent(types);
  }
}

async function blobOf(type, content) {
  return typeof content === "string" ? new Blob([content], { type }) : content;
}

function copyByEvent(types) {
  const texts = Object.entries(types).filter(([, content]) => typeof content === "string");
  if (!texts.length) return false;
  const fill = (event) => {
    for (const [type, text] of texts) event.clipboardData.setData(type, text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("copy", fill, { capture: true, once: true });
  const done = document.execCommand("copy");
  removeEventListener("copy", fill, { capture: true });
  return done;
}
