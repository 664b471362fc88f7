// When to read: after a pause of the pen, one reading at a time, the latest wins. A server that is
// gone or busy is asked again, at growing intervals, until it answers or something new is written.

import { Busy, Gone } from "./client.js";

const PAUSE = 600; // milliseconds
const SLOW = 3000;
const FIRST_WAIT = 1; // seconds
const LONGEST_WAIT = 30;

export class Reader extends EventTarget {
  #job = null;
  #timer = 0;
  #abort = null;
  #wait = FIRST_WAIT;

  constructor() {
    super();
    addEventListener("online", () => this.retry());
  }

  get pending() {
    return this.#job !== null;
  }

  /** `job(signal)` promises a result. It replaces whatever was asked before. */
  read(job, soon = false) {
    this.cancel();
    this.#job = job;
    this.#wait = FIRST_WAIT;
    this.#timer = setTimeout(() => this.#run(), soon ? 0 : PAUSE);
  }

  cancel() {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = null;
    this.#job = null;
  }

  /** Ask now instead of after the wait. */
  retry() {
    if (!this.#job) return;
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#run();
  }

  async #run() {
    const [job, abort] = [this.#job, new AbortController()];
    this.#abort = abort;
    this.#tell("reading");
    const slow = setTimeout(() => this.#tell("slow"), SLOW);
    try {
      const result = await job(abort.signal);
      if (abort.signal.aborted) return;
      this.#job = null;
      this.#tell("read", result);
    } catch (error) {
      if (abort.signal.aborted) return;
      if (error instanceof Gone || error instanceof Busy) this.#later(error);
      else {
        this.#job = null;
        this.#tell("refused", error);
      }
    } finally {
      clearTimeout(slow);
    }
  }

  #later(error) {
    const seconds = Math.max(this.#wait, error.seconds ?? 0);
    this.#wait = Math.min(LONGEST_WAIT, 2 * this.#wait);
    this.#tell(error instanceof Busy ? "busy" : "gone", seconds);
    this.#timer = setTimeout(() => this.#run(), 1000 * seconds);
  }

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
