import { EXPORT_FORMATS, IMPORT_FORMATS, TOOLS } from "../../formats/formats.js";
import { ask } from "../modes/ask.js";
import type { Choice } from "../state/command.js";
import { type Step, step } from "../state/messages.js";
import type { NamedFile } from "../state/ports.js";
import { isProduction } from "../state/production.js";
import { notify, type State } from "../state/state.js";
import { placeName } from "../view/places-panel.js";

const IMPORT_CHOICES: readonly Choice[] = [
  ...IMPORT_FORMATS.map((text) => ({ text, help: `read it as ${text}` })),
  ...TOOLS.map((text) => ({ text, help: `what ${text} prints` })),
];

/** Without the format that appends to the file of a CI job. */
const EXPORT_CHOICES: readonly Choice[] = EXPORT_FORMATS.filter((text) => text !== "github").map((text) => {
  return { text, help: `write it as ${text}` };
});

/** The files of the folder, and after one of them the formats. */
function fileChoices({ mode }: State, typed: string, formats: readonly Choice[]): readonly Choice[] {
  const listing = mode.kind === "command" ? mode.listing : undefined;
  const paths = listing?.names.map((name) => listing.folder + name) ?? [];
  const isWhole = paths.includes(typed) && !typed.endsWith("/");
  const [, before] = /^(.+?)\s+\S*$/u.exec(typed) ?? [];
  const path = isWhole ? typed : before;
  const following =
    path === undefined ? [] : formats.map(({ text, ...rest }) => ({ text: `${path} ${text}`, ...rest }));
  return [...paths.map((text) => ({ text })), ...following];
}

export function importChoices(state: State, typed: string): readonly Choice[] {
  return fileChoices(state, typed, IMPORT_CHOICES);
}

export function exportChoices(state: State, typed: string): readonly Choice[] {
  return fileChoices(state, typed, EXPORT_CHOICES);
}

/** `vars.env json`: a last word that is a format isn't part of the path. */
function namedFile(argument: string, formats: readonly Choice[]): NamedFile {
  const [, path = argument, word] = /^(.+?)\s+(\S+)$/u.exec(argument) ?? [];
  return formats.some(({ text }) => text === word) ? { path, format: word } : { path: argument, format: undefined };
}

export function importFile(state: State, argument: string): Step {
  const file = namedFile(argument, IMPORT_CHOICES);
  return step(notify(state, `reading ${file.path}…`), { type: "import", place: state.place, file });
}

export function exportFile(state: State, argument: string): Step {
  const file = namedFile(argument, EXPORT_CHOICES);
  return step(notify(state, `writing ${file.path}…`), { type: "export", place: state.place, file, isReplacing: false });
}

export function addEnvironment(state: State, name: string): Step {
  return step(state, { type: "addEnvironment", place: state.place, name });
}

export const GRACE_CHOICES: readonly Choice[] = ["1h", "24h", "7d"].map((text) => {
  return { text, help: "keep the old credentials valid for that long" };
});

export function rotate(state: State, grace: string): Step {
  const { places, place } = state;
  const environment = places[place]?.identity ?? placeName(state, place);
  const old = grace === "" ? "at once" : `after ${grace}`;
  const target = places[place];
  const question = {
    title: "New credentials",
    text: `Give ${environment} new credentials? Clients with the old ones are refused ${old}.`,
    answer: "Rotate",
    effect: { type: "rotate", place, grace },
  } as const;
  return ask(state, question, target && isProduction(target) ? environment : undefined);
}
