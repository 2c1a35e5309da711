import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { copyTo, deleteFrom } from "../edit/planning.js";
import { openPlace } from "../reading/polling.js";
import { variablesText } from "../stack/panel.js";
import { askText } from "../stack/question.js";
import { blockingEffect } from "../state/effects.js";
import {
  attributesOf,
  groupLabel,
  groupOf,
  identityOf,
  isProduction,
  placeOrder,
  whyReadOnly,
} from "../state/places.js";
import type { WelcomeActions } from "../state/ports.js";
import { type Entries, readingOf } from "../state/readings.js";
import { type Choice, type Next, notify, type State } from "../state/state.js";
import { choiceMenu, openMenu } from "./menu.js";
import type { MenuItem } from "./menu-items.js";

/** A choice for each place that is not gone. */
export function placeChoices(
  state: State,
  places: readonly number[],
  run: OnPlace,
): readonly Choice[] {
  return places.flatMap((index) => {
    const place = state.places[index];
    if (!place || place.isGone) return [];
    const { name, group, location } = place;
    const facts = [
      index === state.place && "open",
      identityOf(place),
      location,
      ...attributesOf(place),
    ];
    const help = facts.filter(Boolean).join("  ");
    const role = isProduction(place) ? "warning" : "text";
    return [
      { label: name, role, help, group: groupLabel(group), run: (now) => run(now, index) } as const,
    ];
  });
}

type OnPlace = (state: State, place: number) => State;

export function choicesToOpen(state: State): readonly Choice[] {
  return placeChoices(state, placeOrder(state.places), (now, place) =>
    openPlace({ ...now, focus: "variables" }, place),
  );
}

/** All places but one, its group first. */
export function otherPlaces({ places, place }: State, from = place): readonly number[] {
  const others = placeOrder(places).filter((index) => index !== from);
  const isBeside = (index: number) => places[index]?.group === places[from]?.group;
  return others.toSorted((a, b) => Number(isBeside(b)) - Number(isBeside(a)));
}

/** The `otherPlaces` that can be edited. */
export function editablePlaces(state: State, from: number): readonly number[] {
  return otherPlaces(state, from).filter((index) => whyReadOnly(state, index) === undefined);
}

/** Lets the user pick places. The menu stays open below the review. */
function pickPlaces(
  state: State,
  title: string,
  places: readonly number[],
  marked: readonly number[],
  onPicked: (state: State, places: readonly number[]) => State,
): State {
  const nameOf = (index: number) => state.places[index]?.name ?? "";
  const choices = placeChoices(state, places, (now, place) => onPicked(now, [place]));
  const items = choices.map((choice) => ({ ...choice, isKept: true }) as const);
  const onMarked = (now: State, names: readonly string[]) => {
    const picked = places.filter((index) => names.includes(nameOf(index)));
    return onPicked(now, picked);
  };
  return openMenu(state, { ...choiceMenu(title, items), onMarked }, "", marked.map(nameOf));
}

/**
 * @param from the place of the entries
 * @param marked places that are marked initially
 */
export function openCopyTo(
  state: State,
  entries: Entries,
  from: number,
  marked: readonly number[] = [],
): State {
  const title = `Copy ${variablesText(entries.map(({ variable }) => variable))} to`;
  const places = editablePlaces(state, from);
  if (places.length === 1) return copyTo(state, entries, places);
  return pickPlaces(state, title, places, marked, (now, picked) => copyTo(now, entries, picked));
}

/**
 * Lets the user pick environments of the application. Those with a value are
 * marked.
 */
export function openDeleteIn(state: State, entries: Entries): State {
  const names = new Set(entries.map(({ variable }) => variable.name));
  const isSet = ({ variable, value }: VariableEntry) =>
    value !== undefined && names.has(variable.name);
  const places = groupOf(state).filter((place) => whyReadOnly(state, place) === undefined);
  const marked = places.filter((place) => readingOf(state, place).entries.some(isSet));
  const title = `Delete the values of ${variablesText(entries.map(({ variable }) => variable))} in`;
  return pickPlaces(state, title, places, marked, (now, picked) =>
    deleteFrom(now, [...names], picked),
  );
}

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
