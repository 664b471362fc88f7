// What this device keeps beyond the sheet: a small database of the browser's own. Where storage is
// forbidden or full, nothing is kept, and who asks is told.

const NAME = "san";
const STORES = ["samples", "records"];

let opening = null;

function database() {
  opening ??= new Promise((done, failed) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      for (const store of STORES) request.result.createObjectStore(store, { keyPath: "id" });
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
  return opening;
}

async function asked(store, mode, ask) {
  const found = (await database()).transaction(store, mode).objectStore(store);
  return new Promise((done, failed) => {
    const request = ask(found);
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

/** Entries have an `id`; one with the same id is replaced. */
export function put(store, entry) {
  return asked(store, "readwrite", (found) => found.put(entry));
}

/** All entries, by their ids. */
export function all(store) {
  return asked(store, "readonly", (found) => found.getAll());
}

export function count(store) {
  return asked(store, "readonly", (found) => found.count());
}

export function remove(store, id) {
  return asked(store, "readwrite", (found) => found.delete(id));
}

export function empty(store) {
  return asked(store, "readwrite", (found) => found.clear());
}

/** An id that sorts by time. */
export function freshId() {
  const time = new Date().toISOString().replace(/\D/g, "").slice(0, 17);
  return `${time}-${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
}
