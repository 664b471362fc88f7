// MathML from the server -> elements of this page.
//
// - Only elements and attributes of presentation MathML pass: whatever a server sends, no script,
//   link or style of its own gets into the page.
// - The frames of `\boxed` and the like are borders, lines are aligned by their cells' style. The
//   page's security policy bars style attributes, in parsed text too: they are parsed under another
//   name, and the few properties that these need are set one by one. A `menclose` says the same to
//   other programs; some browsers would draw a second frame for it, so it becomes an `mrow`.

const SPACE = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = new Set(
  ("math mrow mi mn mo mtext mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr" +
    " mtd menclose mspace").split(" "),
);
const ATTRIBUTES = (
  "display data-symbol stretchy accent movablelimits largeop linethickness form lspace rspace width"
).split(" ");
const STYLE = /^(border|padding)(-(top|bottom|left|right|radius))?$|^text-align$|^font-size$/;

/** A <math> element, or null where the text is none. */
export function mathElement(text) {
  const tame = text.replaceAll(' style="', ' data-style="');
  const root = new DOMParser().parseFromString(tame, "application/xml").documentElement;
  return root.localName === "math" ? copied(root) : null;
}

/** The same MathML for other programs: without marks, and each number in one piece again. */
export function unmarked(text) {
  return text.replace(/ data-symbol="\d+"/g, "").replaceAll("</mn><mn>", "");
}

function copied(source) {
  const element = document.createElementNS(SPACE, source.localName === "menclose" ? "mrow" : source.localName);
  for (const name of ATTRIBUTES) {
    if (source.hasAttribute(name)) element.setAttribute(name, source.getAttribute(name));
  }
  for (const rule of (source.getAttribute("data-style") ?? "").split(";")) {
    const [name, value] = rule.split(":").map((part) => part.trim());
    if (STYLE.test(name) && value) element.style.setProperty(name, value);
  }
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) element.append(child.data);
    else if (child.namespaceURI === SPACE && ELEMENTS.has(child.localName)) element.append(copied(child));
  }
  return element;
}
