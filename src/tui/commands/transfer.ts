import { DURATION_EXAMPLES, durationMs } from "../../domain/duration.js";
import { UsageError } from "../../domain/errors.js";
import { suggestion } from "../../domain/nearest.js";
import { EXPORT_FORMATS, IMPORT_FORMATS } from "../../formats/formats.js";
import { reviewed } from "../edit/planning.js";
import { hasMarks, withRange } from "../reading/selection.js";
import { COMMAND_LINE } from "../screens/command-line.js";
import type { Choice } from "../state/command.js";
import { readOnly } from "../state/opened-places.js";
import { isProduction, placeLabel, placeName } from "../state/places.js";
import type { Change, Environments, Exported, ExportedFile, NamedFile, NewCredentials } from "../state/ports.js";
import { notify, type State, type Step, type Work } from "../state/state.js";
import { awaiting, step } from "../state/work.js";
import { countText } from "../text/line.js";
import { acceptsQuestion, ask, showCredentials } from "../view/question.js";
import { dataOf } from "../view/screen.js";

const IMPORT_CHOICES: readonly Choice[] = IMPORT_FORMATS.map((text) => ({ text, help: `read it as ${text}` }));

const FILE_FORMATS = EXPORT_FORMATS.filter((text) => text !== "github");

const EXPORT_CHOICES: readonly Choice[] = FILE_FORMATS.map((text) => ({ text, help: `write it as ${text}` }));

/** The files of the folder, and after one of them the formats. */
function fileChoices(state: State, typed: string, formats: readonly Choice[]): readonly Choice[] {
  const listing = dataOf(state, COMMAND_LINE)?.listing;
  const paths = listing?.names.map((name) => quoted(listing.folder + name)) ?? [];
  const isWhole = paths.includes(typed) && !typed.endsWith("/");
  const [, before] = /^(".+"|.+?)\s+\S*$/u.exec(typed) ?? [];
  const path = isWhole ? typed : before;
  const following =
    path === undefined ? [] : formats.map(({ text, ...rest }) => ({ text: `${path} ${text}`, ...rest }));
  return [...paths.map((text) => ({ text })), ...following];
}

/** A path as it is typed: with spaces it has quotes, of which that at the end follows the name of a file. */
function quoted(path: string): string {
  return /\s/u.test(path) ? `"${path}${path.endsWith("/") ? "" : '"'}` : path;
}

export function importChoices(state: State, typed: string): readonly Choice[] {
  return fileChoices(state, typed, IMPORT_CHOICES);
}

export function exportChoices(state: State, typed: string): readonly Choice[] {
  return fileChoices(state, typed, EXPORT_CHOICES);
}

/**
 * The file and the format of `vars.env json` or `"my vars.env" json`. A last word that is not a format is not made part
 * of the path: values would be written to a file that nobody meant.
 *
 * @returns why it names no file, if it does not
 */
function namedFile<F extends string>(argument: string, formats: readonly F[]): NamedFile<F> | string {
  const [, inQuotes, bare, word] = /^(?:"([^"]+)"|(.+?))(?:\s+(\S+))?$/u.exec(argument) ?? [];
  const path = inQuotes ?? bare ?? argument;
  if (word === undefined) return { path, format: undefined };
  const format = formats.find((each) => each === word);
  if (format !== undefined) return { path, format };
  return `there is no format "${word}"${suggestion(word, formats)}; a name with spaces needs quotes`;
}

export function importFile(state: State, argument: string): Step {
  const file = namedFile(argument, IMPORT_FORMATS);
  if (typeof file === "string") return step(notify(state, file, "error"));
  const { place } = state;
  return awaiting(notify(state, `reading ${file.path}…`), async ({ places }) => {
    const { editor, importFile: read } = await places.openToEdit(place);
    if (!read) throw readOnly();
    const { assignments, notes } = await read(file);
    const [{ changes = [] } = {}] = await editor.assign([{ environment: editor.environment, changes: assignments }]);
    return (now) => step(imported(now, place, file, changes, notes));
  });
}

/** Asks to confirm the edit made from a file. */
function imported(
  state: State,
  place: number,
  { path }: NamedFile,
  changes: readonly Change[],
  notes: readonly string[],
): State {
  if (changes.length === 0) return notify(state, [`${path} changes nothing`, ...notes].join("; "));
  const asked = reviewed({ ...state, notice: undefined }, { purpose: "import", parts: [{ place, changes }] });
  return notes.length > 0 && asked.stack !== state.stack ? notify(asked, notes.join("; ")) : asked;
}

export function exportFile(state: State, argument: string): Step {
  const file = namedFile(argument, FILE_FORMATS);
  if (typeof file === "string") return step(notify(state, file, "error"));
  const names = hasMarks(state.marks) ? withRange(state).names : undefined;
  return exporting(notify(state, `writing ${file.path}…`), state.place, { ...file, names }, false);
}

function exporting(state: State, place: number, file: ExportedFile, isReplacing: boolean): Step {
  return step(state, async ({ places }) => {
    const outcome = await (await places.open(place)).exportFile(file, isReplacing);
    return (now) => exported(now, place, file, outcome);
  });
}

/** A file that was written, or that is already there. */
function exported(state: State, place: number, file: ExportedFile, outcome: Exported): Step {
  if (outcome.kind === "exists") {
    const exists = `${file.path} already exists`;
    if (!acceptsQuestion(state)) return step(notify(state, `${exists}; nothing was written`, "error"));
    const run = (now: State) => exporting(now, place, file, true);
    return ask(state, { title: "Export", text: `${exists}. Replace it?`, answer: "Replace", run });
  }
  const { count, notes } = outcome;
  const written = `wrote ${countText(count)} ${count === 1 ? "variable" : "variables"} to ${file.path}`;
  return step(notify(state, [written, ...notes].join("; "), notes.length > 0 ? "info" : "success"));
}

export function addEnvironment(state: State, name: string): Step {
  return newCredentials(state, (environments) => environments.add(name));
}

function newCredentials(state: State, change: (environments: Environments) => Promise<NewCredentials>): Step {
  const { place } = state;
  const work: Work = async ({ places }) => {
    const { environments } = await places.open(place);
    if (!environments) throw new UsageError("the environments of a server can't be changed here");
    const credentials = await change(environments);
    return (now) => step(showCredentials(now, credentials));
  };
  return awaiting(state, work, { lost: " without the new credentials" });
}

export const GRACE_CHOICES: readonly Choice[] = ["1h", "24h", "7d"].map((text) => {
  return { text, help: "keep the old credentials valid for that long" };
});

export function rotate(state: State, grace: string): Step {
  const { places, place } = state;
  const environment = places[place]?.identity ?? placeName(state, place);
  if (grace !== "" && durationMs(grace) === undefined) return step(notify(state, whyNotGrace(state, grace), "error"));
  const old = grace === "" ? "at once" : `after ${grace}`;
  const target = places[place];
  const question = {
    title: "New credentials",
    text: `Give ${environment} new credentials? Clients with the old ones are refused ${old}.`,
    answer: "Rotate",
    run: (now: State) => newCredentials(now, (environments) => environments.rotate(grace)),
    required: target && isProduction(target) ? environment : undefined,
  } as const;
  return ask(state, question);
}

function whyNotGrace({ places }: State, text: string): string {
  const isPlace = places.some((place) => [place.name, place.identity, placeLabel(place)].includes(text));
  if (isPlace) return `"env rotate" is for the open environment, and takes a time: open ${text} first`;
  return `the time must be like ${DURATION_EXAMPLES}`;
}
