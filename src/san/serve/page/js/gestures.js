// Moving over the sheet: two fingers, the wheel, the middle button. One finger, pen or mouse write; a second
// finger that comes while the first has written already does not disturb, nor does what rests beside a pen.

const LINE = 16; // pixels to a line of a wheel that counts lines
const KEYS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const STEP = 80; // pixels an arrow key moves the sheet
const WRITTEN = 12; // pixels that a finger goes before it writes for sure

/** Tells of `pan(dx, dy)` and `zoom(factor, x, y)`, in pixels of the element; `begin()` comes before what
 * two fingers do: the first of them may have begun to write. */
export function listenForGestures(element, { begin, pan, zoom, whole }) {
  const fingers = new Map();
  let [moving, middle, begun, pen] = [false, null, null, false];
  const place = (event) => {
    const own = element.getBoundingClientRect();
    return [event.clientX - own.left, event.clientY - own.top];
  };
  const span = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, wide: Math.hypot(a[0] - b[0], a[1] - b[1]) };
  };
  const on = (name, act) => element.addEventListener(name, act, { capture: true });

  on("pointerdown", (event) => {
    if (event.pointerType === "mouse" && event.button === 1) {
      middle = place(event);
      element.setPointerCapture(event.pointerId);
      event.preventDefault();
    }
    if (event.pointerType === "pen") {
      [pen, moving] = [true, false];
      fingers.clear(); // the palm came first
    }
    if (event.pointerType !== "touch" || pen) return;
    if (!fingers.size) begun = place(event);
    const [first] = fingers.values();
    fingers.set(event.pointerId, place(event));
    if (first && !moving && Math.hypot(first[0] - begun[0], first[1] - begun[1]) < WRITTEN) {
      moving = true;
      begin();
    }
    if (moving) event.stopImmediatePropagation();
  });
  on("pointermove", (event) => {
    if (middle) {
      const at = place(event);
      pan(at[0] - middle[0], at[1] - middle[1]);
      middle = at;
      event.stopImmediatePropagation();
    }
    if (!fingers.has(event.pointerId)) return;
    if (!moving || fingers.size !== 2) {
      fingers.set(event.pointerId, place(event));
      if (moving) event.stopImmediatePropagation();
      return;
    }
    const before = span();
    fingers.set(event.pointerId, place(event));
    const after = span();
    pan(after.x - before.x, after.y - before.y);
    if (before.wide > 8) zoom(after.wide / before.wide, after.x, after.y);
    event.stopImmediatePropagation();
  });
  const end = (event) => {
    middle = null;
    if (event.pointerType === "pen") pen = false;
    if (!fingers.delete(event.pointerId)) return;
    if (moving) event.stopImmediatePropagation();
    if (!fingers.size) moving = false;
  };
  on("pointerup", end);
  on("pointercancel", end);
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? LINE : 1;
    if (event.ctrlKey || event.metaKey) zoom(Math.exp((-event.deltaY * unit) / 300), ...place(event));
    else if (event.shiftKey && !event.deltaX) pan(-event.deltaY * unit, 0);
    else pan(-event.deltaX * unit, -event.deltaY * unit);
  }, { passive: false });
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middleOf = [element.clientWidth / 2, element.clientHeight / 2];
    if (KEYS[event.key]) pan(...KEYS[event.key].map((way) => way * STEP));
    else if (event.key === "+" || event.key === "=") zoom(1.25, ...middleOf);
    else if (event.key === "-") zoom(0.8, ...middleOf);
    else if (event.key === "0") whole();
    else return;
    event.preventDefault();
  });
}
