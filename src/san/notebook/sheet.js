// `<san-sheet>` as a widget of a notebook: strokes go to Python, and what is read comes back.
//
// `loaded` promises san.js; it stands above this text (modules.py).

async function render({ model, el }) {
  const { Refused } = await loaded;
  const sheet = document.createElement("san-sheet");
  sheet.recognizer = (strokes, signal) => asked(model, bare(strokes), signal, Refused);
  sheet.style.height = `${model.get("height")}px`;
  // An empty sheet is read without asking.
  sheet.addEventListener("read", () => sheet.strokes.length || model.send({ number: 0, strokes: [] }));
  // What Python tells of strokes that were written here comes late: more may be written by now.
  const show = () => {
    if (model.get("_shown").by_program) sheet.strokes = model.get("_shown").strokes;
  };
  model.on("change:_shown", show);
  el.append(sheet);
  if (model.get("_shown").strokes.length) sheet.strokes = model.get("_shown").strokes;
  return () => model.off("change:_shown", show);
}

let asking = 0;

function asked(model, strokes, signal, Refused) {
  const number = (asking += 1);
  return new Promise((resolve, reject) => {
    const answered = (content) => {
      if (content.number !== number) return;
      model.off("msg:custom", answered);
      if (content.page) resolve(content.page);
      else reject(new Refused(422, content.message));
    };
    model.on("msg:custom", answered);
    signal.addEventListener("abort", () => model.off("msg:custom", answered));
    model.send({ number, strokes });
  });
}

function bare(strokes) {
  return strokes.map((stroke) => stroke.map(([x, y]) => [x, y]));
}

export default { render };
