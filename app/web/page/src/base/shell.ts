// SPDX-License-Identifier: Apache-2.0
// The frame around every view: the bar with its links, the list of runs beside those of one, and the line below.
import { about, ApiError } from "./api";
import { button, fill, h, setAttributes, setText } from "./dom";
import { count } from "./format";
import { showSheet } from "./keys";
import { canNotify, chooseNotices, notifies } from "./notices";
import { tell } from "./notice";
import { pathOf, type Route } from "./route";
import { locale, say } from "./say";
import { serverAbout } from "./server";
import { type Connection, connectionChanged, unheard } from "./stream";
import { chooseColourBlind, chooseScheme, chosenScheme, hasColourBlindPalette, type Scheme } from "./theme";
import type { About } from "./types";

const links: [href: string, text: string, views: string[]][] = [
  ["/", say("Runs"), ["runs", "run", "explorer", "scaling", "log", "trash"]],
  ["/compare", say("Compare"), ["compare"]],
  ["/queue", say("Queue"), ["queue"]],
  ["/sweeps", say("Sweeps"), ["sweeps", "sweep"]],
  ["/lessons", say("Learn"), ["lessons", "lesson"]],
];

const schemes: [Scheme, string][] = [["system", say("As the system")], ["light", say("Light")], ["dark", say("Dark")]];

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`;

// Not for a person with a link to one run, who may not see the list of runs.
function noticesChoice(): HTMLElement {
  const box = h("input", { type: "checkbox", checked: notifies() });
  const words = h("span", {}, say("Tell me when a run or a sweep ends"));
  const choice = h("label", { hidden: true }, box, words);
  box.addEventListener("change", () => {
    const isWanted = box.checked;
    void chooseNotices(isWanted).then((isOn) => {
      box.checked = isOn;
      setText(words, isWanted && !isOn ? say("The browser blocks notifications from this page") : say("Tell me when a run or a sweep ends"));
    });
  });
  serverAbout().then(({ run }) => (choice.hidden = run !== null || !canNotify()), () => {});
  return choice;
}

function lookMenu(): HTMLElement {
  const select = h("select", { "aria-label": say("Colours") }, ...schemes.map(([value, text]) => h("option", { value }, text)));
  select.value = chosenScheme();
  select.addEventListener("change", () => chooseScheme(select.value as Scheme));
  const palette = h("input", { type: "checkbox", checked: hasColourBlindPalette() });
  palette.addEventListener("change", () => chooseColourBlind(palette.checked));
  const menu = h("details.menu", {}, h("summary", {}, say("View")),
    h("div.menu-list", {}, select, h("label", {}, palette, say("Colours for the colour-blind")), noticesChoice(), button(say("Keys (?)"), showSheet)));
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target as Node)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") menu.open = false;
  });
  return menu;
}

function recordingText(time: number, { columns, whole }: NonNullable<About["recording"]>): string {
  const when = new Date(1000 * time).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
  const recorded = say("Recorded {}", when);
  return whole ? recorded : `${recorded} · ${say("{} points a line at most, each with the lowest, mean and highest of several steps", count(columns))}`;
}

export class Shell {
  readonly main = h("main", { id: "main", tabindex: -1 });
  readonly beside = h("div.beside", { hidden: true });
  private readonly anchors = links.map(([href, text]) => h("a", { href }, text));
  private readonly brand = h("a.brand", { href: "/" }, "BatchScope");
  private readonly views = h("nav", { "aria-label": say("Views") }, ...this.anchors);

  constructor() {
    const connection = h("span.connection", { role: "status" });
    const server = h("span");
    const bar = h("header.bar", {}, this.brand, this.views, lookMenu());
    const line = h("footer.line", {}, server, connection, button(say("? keys"), showSheet, { class: "link" }));
    const skip = h("a.skip", { href: "#main" }, say("Skip to the content"));
    skip.addEventListener("click", (event) => {
      event.preventDefault(); // what is behind "#" may be an address
      this.main.focus();
    });
    document.body.append(skip, bar, this.beside, this.main, line);

    connectionChanged.listen((state: Connection) => {
      setText(connection, state === "lost" ? say("The connection is lost. Connecting again.") : "");
      // Why, where the server can say it: a token that it does not know, for one.
      if (state === "lost") about().catch((error: Error) => {
        setText(connection, error.message);
        if (error instanceof ApiError && error.status === 401) tell(sentence(error.message));
      });
    });
    unheard.listen((seconds) => {
      if (document.documentElement.dataset["connection"] === "silent") setText(connection, say("The server has been silent for {} s. Connecting again.", seconds));
    });
    serverAbout().then((about) => {
      if (about.recording) return setText(server, `${recordingText(about.now, about.recording)} · BatchScope ${about.version}`);
      const devices = about.devices.length === 1 ? say("1 device") : say("{} devices", about.devices.length);
      setText(server, [about.host, devices, about.token ? say("for {}", about.token) : "", about.read_only ? say("read only") : "", `BatchScope ${about.version}`].filter(Boolean).join(" · "));
    }, (error: Error) => this.fail(error.message));
  }

  mark(route: Route): void {
    links.forEach(([, , views], i) => setAttributes(this.anchors[i]!, { "aria-current": views.includes(route.view) ? "page" : null }));
  }

  /** Leaves out what leads to other runs. */
  showOnly(run: string): void {
    this.views.hidden = true;
    setAttributes(this.brand, { href: pathOf("run", run) });
  }

  /** Shows a failure in place of the view. */
  fail(message: string): void {
    fill(this.main, h("div.page", {}, h("h1", {}, say("No answer")), h("p", { role: "alert" }, message)));
  }
}
