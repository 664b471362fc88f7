// Ink survives a reload: it is kept in the browser's own storage, on this device only.

const KEY = "san.ink";

export function keep(strokes) {
  try {
    if (strokes.length) localStorage.setItem(KEY, JSON.stringify(strokes.map(thin)));
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is full or forbidden (a private window): the page works, but forgets.
  }
}

export function kept() {
  try {
    const strokes = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(strokes) && strokes.every(isStroke) ? strokes : [];
  } catch {
    return [];
  }
}

function thin(stroke) {
  return stroke.map(([x, y, weight]) => [x, y, Math.round(weight * 100) / 100]);
}

function isStroke(stroke) {
  const isPoint = (point) => Array.isArray(point) && point.length === 3 && point.every(Number.isFinite);
  return Array.isArray(stroke) && stroke.length > 0 && stroke.every(isPoint);
}
