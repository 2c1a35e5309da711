import { durationMs } from "../../domain/duration.js";
import { UsageError } from "../../domain/errors.js";
import { suggestion } from "../../domain/nearest.js";
import { EXPORT_FORMATS, IMPORT_FORMATS, type ImportFormat } from "../../formats/formats.js";
import { reviewed } from "../edit/planning.js";
import { hasMarks, withRange } from "../reading/selection.js";
import type { Choice } from "../state/command.js";
import { readOnly } from "../state/opened-places.js";
import { isProduction, placeName } from "../state/places.js";
import type { Change, Environments, Exported, ExportedFile, NamedFile, NewCredentials } from "../state/ports.js";
import { notify, type State, type Step, type Work } from "../state/state.js";
import { awaiting, step } from "../state/work.js";
import { countText } from "../text/line.js";
import { acceptsQuestion, ask, askText, requiredInput, showCredentials } from "../view/question.js";
import { gridOf } from "../view/screen.js";

const FILE_FORMATS = EXPORT_FORMATS.filter((text) => text !== "github");

interface TypedFile<F extends string> extends NamedFile<F> {
  /** Why it is no file. */
  readonly problem?: string | undefined;
}

/**
 * The file and the format of `vars.env json` or `"my vars.env" json`. A last word that is not a format is not made part
 * of the path: values would be written to a file that nobody meant.
 */
function typedFile<F extends string>(text: string, formats: readonly F[]): TypedFile<F> {
  const [, inQuotes, bare, word] = /^(?:"([^"]+)"|(.+?))(?:\s+(\S+))?$/u.exec(text) ?? [];
  const path = inQuotes ?? bare ?? text;
  const format = formats.find((each) => each === word);
  if (path === "") return { path, format, problem: "enter the name of a file" };
  if (word === undefined || format !== undefined) return { path, format };
  const problem = `there is no format "${word}"${suggestion(word, formats)}; a name with spaces needs quotes`;
  return { path, format, problem };
}

function askFile<F extends string>(
  state: State,
  typed: string,
  title: string,
  question: string,
  formats: readonly F[],
  run: (state: State, file: NamedFile<F>) => Step,
): Step {
  return askText(state, typed, {
    title,
    text: `${question} Its ending decides the format, or a word after it: ${formats.join(", ")}.`,
    input: { label: "file: ", check: (text) => typedFile(text, formats).problem, isPath: true },
    run: (now, text) => run(now, typedFile(text, formats)),
  });
}

export function importFile(state: State, typed: string): Step {
  const question = "Which file do you want to import? Its changes are shown first.";
  return askFile(state, typed, "Import", question, IMPORT_FORMATS, reading);
}

function reading(state: State, file: NamedFile<ImportFormat>): Step {
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

export function exportFile(state: State, typed: string): Step {
  const names = hasMarks(state.marks) ? withRange(state.marks, gridOf(state)).names : undefined;
  const what = names ? `${countText(names.size)} marked variables` : "all variables";
  const question = `To which file do you want to write ${what}? Only you can read it.`;
  return askFile(state, typed, "Export", question, FILE_FORMATS, (now, file) => {
    return exporting(notify(now, `writing ${file.path}…`), now.place, { ...file, names }, false);
  });
}

function exporting(state: State, place: number, file: ExportedFile, isReplacing: boolean): Step {
  return step(state, async ({ places }) => {
    const outcome = await (await places.open(place)).exportFile(file, isReplacing);
    return (now) => exported(now, place, file, outcome);
  });
}

/** A file that was written, or that is already there. */
function exported(state: State, place: number, file: ExportedFile, outcome: Exported | undefined): Step {
  if (!outcome) {
    const exists = `${file.path} already exists`;
    if (!acceptsQuestion(state)) return step(notify(state, `${exists}; nothing was written`, "error"));
    const run = (now: State) => exporting(now, place, file, true);
    return ask(state, { title: "Export", text: `${exists}. Replace it?`, answer: "Replace", run });
  }
  const { count, notes } = outcome;
  const written = `wrote ${countText(count)} ${count === 1 ? "variable" : "variables"} to ${file.path}`;
  return step(notify(state, [written, ...notes].join("; "), notes.length > 0 ? "info" : "success"));
}

export function addEnvironment(state: State, typed: string): Step {
  return askText(state, typed, {
    title: "Add",
    text: "Which environment do you want to add? Without a / in its name, it belongs to the application of this one.",
    input: { label: "name: ", check: (text) => (text === "" ? "enter a name" : undefined) },
    run: (now, name) => newCredentials(now, (environments) => environments.add(name)),
  });
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

const AT_ONCE = "now";

/** How long old credentials stay valid. @param typed a time that is offered too */
export function graceChoices(_state: State, typed: string): readonly Choice[] {
  const times = new Set([...(durationMs(typed) === undefined ? [] : [typed]), AT_ONCE, "1h", "24h", "7d"]);
  return Array.from(times, (label) => ({
    label,
    help: label === AT_ONCE ? "refuse the old credentials at once" : "keep the old credentials valid for that long",
    run: (state) => rotate(state, label === AT_ONCE ? "" : label),
  }));
}

function rotate(state: State, grace: string): Step {
  const { places, place } = state;
  const environment = places[place]?.identity ?? placeName(state, place);
  const target = places[place];
  return ask(state, {
    title: "New credentials",
    text: `Give ${environment} new credentials? Clients with the old ones are refused ${grace === "" ? "at once" : `after ${grace}`}.`,
    answer: "Rotate",
    run: (now) => newCredentials(now, (environments) => environments.rotate(grace)),
    input: target && isProduction(target) ? requiredInput(environment) : undefined,
  });
}
