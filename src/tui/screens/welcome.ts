import { openPlace } from "../reading/polling.js";
import { askText } from "../stack/question.js";
import { blockingEffect } from "../state/effects.js";
import type { WelcomeActions } from "../state/ports.js";
import { type Next, notify, type State } from "../state/state.js";
import { choiceMenu, openMenu } from "./menu.js";
import type { MenuItem } from "./menu-items.js";

export function openWelcome(
  state: State,
  welcome: Pick<WelcomeActions, "hasData" | "dataFile">,
): State {
  const { hasData, dataFile } = welcome;
  // The menu stays open until a place can be opened.
  const choice = (label: string, help: string, run: Next): MenuItem => ({
    label,
    help,
    run,
    isKept: true,
  });
  const created = `create ${dataFile} in this folder with example variables, as appvars init --example does`;
  const data = hasData
    ? choice(`open ${dataFile}`, "the data file in this folder", (now) => openData(now, dataFile))
    : choice("try the example", created, (now) => openData(now, dataFile, true));
  const other = choice("open a data file", "enter its path, as with appvars tui --data", openTyped);
  return openMenu(state, choiceMenu("Welcome to appvars", [data, other], "choose", INTRO));
}

const INTRO =
  "No server or data file is configured yet. Choose what to do. To read from a server, quit (q twice) and " +
  "store its address and credentials: appvars profile add NAME --url URL --api-secret-file FILE";

function openTyped(state: State): State {
  const check = (path: string) => (path === "" ? "enter the path of a file" : undefined);
  return askText(state, "", {
    title: "Open",
    text: "Which data file do you want to open?",
    input: { label: "file: ", check, isPath: true },
    run: (now, path) => openData(now, path.replace(/^"(.*)"$/, "$1")),
  });
}

/** @param isExample whether to create the file with example variables first */
function openData(state: State, path: string, isExample = false): State {
  return blockingEffect(state, async ({ welcome }) => {
    if (!welcome) return undefined;
    if (isExample) await welcome.createExample();
    const { place, notes } = await welcome.openData(path);
    return (now) => {
      const listed: State = { ...now, stack: [] };
      return openPlace(
        notes.length > 0 ? notify(listed, notes.join("; ")) : listed,
        now.places.indexOf(place),
      );
    };
  });
}
