import { editLines } from "../edit/difference.js";
import { readHistory, rollbackTo } from "../edit/planning.js";
import { toggleAllRevealed } from "../reading/reveal.js";
import { placeName } from "../state/places.js";
import type { HistoryEntry } from "../state/ports.js";
import { notify, type State, type Step } from "../state/state.js";
import { awaiting, step } from "../state/work.js";
import { visibleText } from "../text/graphemes.js";
import { type Line, line, spaced, wrapLine } from "../text/line.js";
import { variablesText } from "../view/panel.js";
import { pop, selectionOf } from "../view/screen.js";
import { type Menu, type MenuItem, openMenu } from "./menu.js";

/** What a history is of. */
interface Subject {
  /** Index of the place. */
  readonly place: number;
  /** The variable; undefined for all of the environment. */
  readonly name: string | undefined;
}

/** Shows the changes of the variable under the cursor, or of the environment where there is none. */
export function openHistory(state: State): Step {
  const isOfPlaces = state.focus === "places" && state.stack.length === 0;
  return show(state, isOfPlaces ? { place: state.placeCursor, name: undefined } : selectionOf(state));
}

function show(state: State, subject: Subject): Step {
  const { place, name } = subject;
  return awaiting(state, async (tools) => {
    const entries = await readHistory(tools, place, name);
    return (now) => {
      const of = name === undefined ? placeName(now, place) : `${name} in ${placeName(now, place)}`;
      return entries.length === 0
        ? step(notify(now, `there are no changes of ${of}`))
        : openMenu(now, menuOf(subject, of, entries));
    };
  });
}

function menuOf(subject: Subject, of: string, entries: readonly HistoryEntry[]): Menu {
  const { place, name } = subject;
  const items = entries.map(
    (entry): MenuItem => ({
      label: `${entry.id}  ${entry.time.slice(0, 16).replace("T", " ")}  ${entry.actor}  ${entry.command}`,
      help: helpOf(entry),
      detail: (state, width) => changeLines(state, entry, subject, width),
      run: (state) => rollbackTo(state, entry, place, name),
    }),
  );
  const other: Subject = { place, name: undefined };
  return {
    verb: "roll back to before it",
    content: () => ({ title: `Changes of ${of}`, items }),
    keys: {
      V: (state) => step(toggleAllRevealed(state)),
      ...(name !== undefined && { H: (state) => show(pop(state), other) }),
    },
    hints: name === undefined ? "V show values, J scroll" : "H all variables, V show values, J scroll",
  };
}

function helpOf({ parts, hasMore }: HistoryEntry): string {
  const names = [...new Set(parts.flatMap(({ changes }) => changes.map((change) => change.newName ?? change.name)))];
  const changed = names.length > 0 && variablesText(names.map((name) => ({ name })));
  return [changed, hasMore && "environments, keys or other applications"].filter(Boolean).join(", ");
}

/** The changes of an entry as a diff, those of the variable alone if there is one. */
function changeLines(state: State, { parts }: HistoryEntry, { name }: Subject, width: number): readonly Line[] {
  const isRevealed = state.revealed?.names === "all";
  const blocks = parts.flatMap(({ environment, changes }) =>
    changes
      .filter((change) => name === undefined || [change.name, change.newName].includes(name))
      .map((change) => {
        const heading = `${visibleText(change.name)} in ${visibleText(environment)}`;
        return [...wrapLine(line(heading, "accent"), width), ...editLines(state, change, width, isRevealed)];
      }),
  );
  return spaced(blocks);
}
