// What the reader is doing, in words at the foot of the sheet.

import { t } from "./texts.js";

export function announce(reader, notice) {
  const on = (name, act) => reader.addEventListener(name, ({ detail }) => act(detail));
  on("reading", () => notice.working(t("Reading …")));
  on("slow", () => notice.working(t("Still reading; the server takes its time …")));
  on("gone", (seconds) => {
    notice.trouble(t("The server does not answer. Your ink is safe; asking again in {seconds} s.", { seconds }), { retry: true });
  });
  on("busy", (seconds) => {
    notice.trouble(t("The server is busy; asking again in {seconds} s.", { seconds }), { retry: true });
  });
}
