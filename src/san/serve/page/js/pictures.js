// Pictures on the sheet: opened, framed, turned, read, and left again.

import { cut, listenForPictures, turned } from "./photo.js";
import { t } from "./texts.js";

export class Pictures {
  uncut = null; // the picture that is being cropped
  #view;
  #crop;
  #host;
  #waiting = []; // what promises the pictures that were opened with this one

  /** `host`: elements by `$`, and what to do: `begin()` before a picture is framed, `read(picture)` with the
   * part that was framed, `write(strokes)` with ink from a file, `leave(wasFraming)` back to the ink, `busy()`
   * as soon as a part is to be read, `say(text)`, `fail(error)` with what cannot be opened. */
  constructor(view, crop, host) {
    this.#view = view;
    this.#crop = crop;
    this.#host = host;
    const { $ } = host;
    listenForPictures({
      inputs: [$("file"), $("camera")],
      dropZone: $("sheet"),
      take: (all) => {
        this.#waiting = all;
        return this.next();
      },
      write: host.write,
      fail: host.fail,
      say: host.say,
    });
    for (const id of ["photograph", "another-photograph"]) $(id).addEventListener("click", () => $("camera").click());
    $("another-picture").addEventListener("click", () => $("file").click());
    $("read-part").addEventListener("click", () => this.readPart());
    $("turn").addEventListener("click", () => this.frame(turned(this.uncut)));
    $("whole").addEventListener("click", () => crop.whole());
    $("ink-again").addEventListener("click", () => this.leave());
    $("next-picture").addEventListener("click", () => this.next());
    $("frame-again").addEventListener("click", () => this.frame(host.whole()));
  }

  /** The next picture of those that were opened together. */
  async next() {
    const { $, say, fail } = this.#host;
    $("next-picture").disabled = true;
    say(t("Opening …"));
    const [open, ...later] = this.#waiting;
    try {
      const picture = await open();
      this.#waiting = later;
      this.frame(picture);
    } catch (error) {
      if (error.status) this.#waiting = later; // it will not open later either
      this.tools();
      fail(error);
    }
    $("next-picture").disabled = false;
  }

  frame(picture) {
    const { $, begin, say } = this.#host;
    this.uncut = picture;
    begin();
    $("hint").hidden = true;
    this.#view.show(picture);
    this.#crop.start();
    this.tools();
    say(t("Frame the formula, then read it."));
    $("read-part").focus({ preventScroll: true });
  }

  stop() {
    this.uncut = null;
    this.#crop.stop();
  }

  /** The part with the picture that it is of: the next one is framed without opening the file again. */
  async readPart() {
    const { $, read, busy } = this.#host;
    const whole = this.uncut;
    busy();
    read({ ...(await cut(whole, this.#crop.part)), whole });
    $("ink-again").focus({ preventScroll: true });
  }

  leave() {
    const framing = this.uncut !== null;
    this.stop();
    this.#host.leave(framing);
    this.#host.$("ink").focus({ preventScroll: true });
  }

  /** Which tools are shown: those of the ink, of the frame, or of a picture that was read. */
  tools() {
    const { $, shown } = this.#host;
    const framing = this.uncut !== null;
    const picturing = framing || shown();
    $("ink-tools").hidden = picturing;
    $("picture-tools").hidden = !picturing;
    for (const tool of $("picture-tools").querySelectorAll("[data-cropping]")) tool.hidden = !framing;
    for (const tool of $("picture-tools").querySelectorAll("[data-read]")) tool.hidden = framing;
    $("next-picture").hidden = !this.#waiting.length;
    $("next-picture").textContent = t("Next picture, {number} left", { number: this.#waiting.length });
  }
}
