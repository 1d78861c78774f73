// SPDX-License-Identifier: Apache-2.0
// Where the page begins: the shell, and in it the view that the address names.
import "uplot/dist/uPlot.min.css";
import "../style/page.css";
import { tellElided } from "./base/elided";
import { startKeys } from "./base/keys";
import { startNotices } from "./base/notices";
import { followLinks, here, navigated, pathOf, type Route } from "./base/route";
import { isRecording } from "./base/recording";
import { serverAbout } from "./base/server";
import { Shell } from "./base/shell";
import { startTheme } from "./base/theme";
import { RunList } from "./runs/list";
import { besideRuns, showOf } from "./views/table";

startTheme();
startKeys();
followLinks();
tellElided();

const shell = new Shell();
let list: RunList | null = null;
let end = () => {};
let only: string | null = null; // the run that a link or a recording shows

function show(asked: Route): void {
  const isElsewhere = only !== null && asked.id !== only;
  if (isElsewhere) history.replaceState(null, "", pathOf("run", only!));
  const route = isElsewhere ? here() : asked;
  end();
  shell.main.replaceChildren();
  shell.mark(route);
  const isBeside = only === null && besideRuns.includes(route.view);
  if (isBeside && list === null) {
    list = new RunList({ isWide: false });
    shell.beside.replaceChildren(list.element);
  } else if (!isBeside && list !== null) {
    list.end();
    list = null;
    shell.beside.replaceChildren();
  }
  shell.beside.hidden = !isBeside;
  end = showOf(route.view)(shell.main, route);
  scrollTo(0, 0);
}

navigated.listen(show);
if (!isRecording) show(here()); // a recording first says which run it has
// The shell shows a failure.
void serverAbout().then(({ run }) => {
  if (run === null) return startNotices();
  only = run;
  shell.showOnly(run);
  show(here());
}, () => {});
