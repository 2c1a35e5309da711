import { openPlace } from "../reading/read.js";
import type { FirstData, FirstSteps } from "../state/ports.js";
import { notify, type State, type Step } from "../state/state.js";
import { holdingKeys } from "../state/work.js";
import { askText } from "../view/question.js";
import { choiceMenu, openMenu } from "./menu.js";

/** What to do where nothing is configured yet. */
export function openFirst(state: State, first: Pick<FirstSteps, "hasData" | "dataFile">): Step {
  const { hasData, dataFile } = first;
  const stay = (now: State) => openFirst(now, first)[0];
  const found = {
    label: `open ${dataFile}`,
    help: "the data file in this folder",
    run: (now: State) => opening(stay(now), (steps) => steps.openData(dataFile)),
  };
  const example = {
    label: "try the example",
    help: `create ${dataFile} in this folder with example variables, as appvars init --example does`,
    run: (now: State) => opening(stay(now), (steps) => steps.createExample().then(() => steps.openData(dataFile))),
  };
  const check = (path: string) => (path === "" ? "enter the path of a file" : undefined);
  const other = {
    label: "open a data file",
    help: "type its path, as after appvars tui --data",
    run: (now: State) =>
      askText(stay(now), "", {
        ...{ title: "Open", text: "Which data file do you want to open?" },
        input: { label: "file: ", check, isPath: true },
        run: (then, path) => opening(then, (steps) => steps.openData(path.replace(/^"(.*)"$/, "$1"))),
      }),
  };
  return openMenu(state, choiceMenu("Welcome to appvars", [hasData ? found : example, other], "choose", INTRO));
}

const INTRO =
  "No server or data file is configured yet. Choose what to do. For the variables of a server, quit (q twice) and " +
  "store its address and credentials: appvars profile add NAME --url URL --api-secret-file FILE";

function opening(state: State, open: (steps: FirstSteps) => Promise<FirstData>): Step {
  return holdingKeys(state, async ({ first }) => {
    if (!first) return undefined;
    const { place, notes } = await open(first);
    return (now) => {
      const listed: State = { ...now, stack: [] };
      return openPlace(notes.length > 0 ? notify(listed, notes.join("; ")) : listed, now.places.indexOf(place));
    };
  });
}
