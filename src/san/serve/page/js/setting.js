// Small choices that are kept on this device. Where storage is forbidden (a private window), the page works,
// but forgets.

export function setting(name, storage = "localStorage") {
  try {
    return globalThis[storage].getItem(name);
  } catch {
    return null;
  }
}

export function keepSetting(name, value, storage = "localStorage") {
  try {
    globalThis[storage].setItem(name, value);
  } catch {
    // Forbidden, or full.
  }
}
