import { EXPORT_FORMATS, IMPORT_FORMATS, type ImportFormat } from "../../formats/formats.js";
import { parseDurationMs } from "../../kit/text/duration.js";
import { suggestion } from "../../kit/text/nearest.js";
import { command } from "../../kit/text/shell.js";
import { review } from "../edit/review.js";
import type { PlannedEdit } from "../edit/review-text.js";
import { gridOf } from "../stack/grid.js";
import { ask, askText, requiredInput } from "../stack/question.js";
import { blockingEffect } from "../state/effects.js";
import { isProduction, placeName } from "../state/places.js";
import type { ChosenFile, Editor, ExportedFile, NewCredentials } from "../state/ports.js";
import { type Choice, type Effect, type Next, notify, type State } from "../state/state.js";
import { copyText } from "../table/copying.js";
import { MASK } from "../table/reveal.js";
import { hasMarks, withRange } from "../table/selection.js";
import { visibleText } from "../text/graphemes.js";
import { countOf, labelled, line, wrapLine, wrapLines } from "../text/line.js";

const FILE_FORMATS = EXPORT_FORMATS.filter((text) => text !== "github");

/**
 * Parses `vars.env json` or `"my vars.env" json`. If the last word is not a
 * format, this is an error: otherwise a mistyped format would write values to
 * an unintended file.
 */
function typedFile<F extends string>(
  text: string,
  formats: readonly F[],
): ChosenFile<F> & { problem?: string } {
  const [, inQuotes, after, bare, word = after] =
    /^"([^"]+)"(?:\s+(\S+))?$|^(.*\S)\s+(\S+)$/u.exec(text) ?? [];
  const path = inQuotes ?? bare ?? text;
  const format = formats.find((each) => each === word);
  if (path === "") return { path, format, problem: "enter a file name" };
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
  run: (state: State, file: ChosenFile<F>) => State,
): State {
  return askText(state, typed, {
    title,
    text: `${question} The extension sets the format. To choose another, add its name: ${formats.join(", ")}.`,
    input: { label: "file: ", check: (text) => typedFile(text, formats).problem, isPath: true },
    run: (now, text) => run(now, typedFile(text, formats)),
  });
}

export function importFile(state: State, typed: string): State {
  const question = "Which file do you want to import? You review the changes first.";
  return askFile(state, typed, "Import", question, IMPORT_FORMATS, planImport);
}

function planImport(state: State, file: ChosenFile<ImportFormat>): State {
  const { place } = gridOf(state);
  return blockingEffect(notify(state, `reading ${file.path}…`), async ({ places }) => {
    const editor = await places.editor(place);
    const { assignments, notes } = await editor.importFile(file);
    const [{ changes = [] } = {}] = await editor.assign([
      { environment: editor.environment, changes: assignments },
    ]);
    if (changes.length === 0)
      return (now) => notify(now, [`${file.path} contains no changes`, ...notes].join("; "));
    const edit: PlannedEdit = {
      purpose: "import",
      parts: [{ place, environment: editor.environment, changes }],
    };
    if (notes.length === 0) return (now) => review(now, edit);
    return (now) => notify(review(now, edit), notes.join("; "));
  });
}

export function exportFile(state: State, typed: string): State {
  const names = hasMarks(state.marks) ? withRange(state.marks, gridOf(state)).names : undefined;
  const what = names ? countOf(names.size, "marked variable") : "all variables";
  const question = `Export ${what} of ${placeName(state, gridOf(state).place)}. Which file do you want to write? Only you can read it.`;
  return askFile(state, typed, "Export", question, FILE_FORMATS, (now, file) =>
    exporting(now, { ...file, names }),
  );
}

function exporting(state: State, file: ExportedFile, isReplacing = false): State {
  const { place } = gridOf(state);
  return blockingEffect(notify(state, `writing ${file.path}…`), async ({ places }) => {
    const outcome = await (await places.open(place)).exportFile(file, isReplacing);
    if (!outcome) {
      const text = `${file.path} already exists. Replace it?`;
      const run: Next = (now) => exporting(now, file, true);
      return (now) => ask(now, { title: "Export", text, answer: "Replace", key: "ctrl-x", run });
    }
    const { count, notes } = outcome;
    const written = `wrote ${countOf(count, "variable")} of ${placeName(state, place)} to ${file.path}`;
    return (now) =>
      notify(now, [written, ...notes].join("; "), notes.length > 0 ? "info" : "success");
  });
}

export function addEnvironment(state: State, typed: string): State {
  return askText(state, typed, {
    title: "Add",
    text: "Which environment do you want to add? Without a slash, it is added to the application of the open environment.",
    input: { label: "name: ", check: (text) => (text === "" ? "enter a name" : undefined) },
    run: (now, name) => newCredentials(now, (editor) => editor.addEnvironment(name)),
  });
}

function newCredentials(state: State, change: (editor: Editor) => Promise<NewCredentials>): State {
  const { place } = gridOf(state);
  const effect: Effect = async ({ places }) => {
    const credentials = await change(await places.editor(place));
    return (now) => showCredentials(now, credentials);
  };
  return blockingEffect(state, effect, { lost: " without the new credentials" });
}

function showCredentials(state: State, credentials: NewCredentials): State {
  const { environment, apiKey, apiSecret, lines } = credentials;
  const again = command`appvars env credentials ${environment} prints them again.`;
  return ask(state, {
    title: "Credentials",
    text: `The new credentials of ${environment}`,
    details: (_state, width, isShown) => [
      ...wrapLine(labelled("API key", line(visibleText(apiKey))), width),
      ...wrapLine(
        labelled("API secret", isShown ? line(visibleText(apiSecret)) : line(MASK, "muted")),
        width,
      ),
      ...wrapLines(
        `Press y to copy the shell lines, including the secret. ${again}`,
        width,
        "muted",
      ),
    ],
    answer: "Copy",
    key: "y",
    lost: ` without the new credentials of ${environment}`,
    run: (now) =>
      copyText(showCredentials(now, credentials), "the credentials", async () => ({
        text: lines.join("\n"),
      })),
  });
}

const AT_ONCE = "now";

/** @param typed another time to offer */
export function graceChoices(_state: State, typed: string): readonly Choice[] {
  const times = new Set([
    ...(parseDurationMs(typed) === undefined ? [] : [typed]),
    AT_ONCE,
    "1h",
    "24h",
    "7d",
  ]);
  return Array.from(times, (label) => ({
    label,
    help:
      label === AT_ONCE
        ? "refuse the old credentials immediately"
        : "keep the old credentials valid for this time",
    run: (state) => rotate(state, label === AT_ONCE ? "" : label),
  }));
}

function rotate(state: State, grace: string): State {
  const { place } = gridOf(state);
  const target = state.places[place];
  const environment = target?.identity ?? placeName(state, place);
  return ask(state, {
    title: "New credentials",
    text: `Replace the credentials of ${environment}? Clients with the old credentials are refused ${grace === "" ? "immediately" : `after ${grace}`}.`,
    answer: "Rotate",
    run: (now) => newCredentials(now, (editor) => editor.rotate(grace)),
    input: isProduction(target) ? requiredInput(environment) : undefined,
  });
}
