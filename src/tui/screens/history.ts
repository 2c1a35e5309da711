import { isPublic } from "../../model/variable.js";
import type { HistoryEntry, VariableChange } from "../../model/variable-change.js";
import { historyPlace, readPlaceHistory, rollbackTo } from "../edit/history.js";
import { changeLines, changesOf, changesValue } from "../edit/review-text.js";
import { gridOf } from "../stack/grid.js";
import { variablesText } from "../stack/panel.js";
import { isOnPlaces, pop } from "../stack/screen.js";
import { blockingEffect } from "../state/effects.js";
import { memoized } from "../state/memoized.js";
import { placeName, whyReadOnly } from "../state/places.js";
import { readingOf } from "../state/readings.js";
import { notify, type State } from "../state/state.js";
import { isRevealed, toggleAllRevealed } from "../table/reveal.js";
import type { Line } from "../text/line.js";
import { type Menu, openMenu } from "./menu.js";
import type { MenuItem } from "./menu-items.js";

interface Subject {
  readonly place: number;
  /** `undefined` for all variables of the environment. */
  readonly name: string | undefined;
}

/** The variable under the cursor, or else the environment. */
function subjectOf(state: State): Subject {
  return {
    place: historyPlace(state),
    name: isOnPlaces(state) ? undefined : gridOf(state).name,
  };
}

/** Shows the changes of the variable or the environment under the cursor. */
export function openHistory(state: State, subject = subjectOf(state)): State {
  const { place, name } = subject;
  return blockingEffect(state, async (tools) => {
    const entries = await readPlaceHistory(tools, place, name);
    return (now) => {
      const where = placeName(now, place);
      const title = name === undefined ? where : `${name} in ${where}`;
      return entries.length === 0
        ? notify(now, `${title} has no recorded changes`, "error")
        : openMenu(now, menuOf(subject, title, entries, whyReadOnly(now, place)));
    };
  });
}

const details = memoized<HistoryEntry, readonly Line[]>();

const NOT_ROLLED_BACK = "names and rules, which all environments share, are not rolled back";

function menuOf(
  subject: Subject,
  title: string,
  entries: readonly HistoryEntry[],
  reason: string | undefined,
): Menu {
  const { place, name } = subject;
  const width = String(entries[0]?.id ?? "").length;
  const items = entries.map(
    (entry): MenuItem => ({
      isKept: true,
      label: `${String(entry.id).padStart(width)}  ${entry.time.slice(0, 16).replace("T", " ")}  ${entry.actor}  ${entry.command}  ${variablesText(changesOf(entry))}`,
      whyNot: reason ?? (changesOf(entry).some(changesValue) ? undefined : NOT_ROLLED_BACK),
      detail: (state, width) => {
        const on = [width, state.revealed?.names, readingOf(state, place).entries];
        return details(entry, on, () => linesOf(state, entry, subject, width));
      },
      run: (state) => rollbackTo(state, entry, place, name),
    }),
  );
  return {
    verb: "undo this and later changes",
    content: () => ({ title: `Changes to ${title}, times in UTC`, items }),
    keys: {
      V: toggleAllRevealed,
      ...(name !== undefined && {
        H: (state) => openHistory(pop(state), { place, name: undefined }),
      }),
    },
    hints:
      name === undefined ? "V show values, J scroll" : "H all variables, V show values, J scroll",
  };
}

/**
 * Shows an entry as a diff. A value that was public then is shown only if the
 * variable is still public.
 */
function linesOf(
  state: State,
  { parts }: HistoryEntry,
  { place }: Subject,
  width: number,
): readonly Line[] {
  const names = new Set(
    parts.flatMap(({ changes }) => changes.map(({ name, newName = name }) => newName)),
  );
  // A map of all entries would be noticeably slow.
  const wanted = readingOf(state, place).entries.filter(({ variable }) => names.has(variable.name));
  const present = new Map(wanted.map(({ variable, rules }) => [variable.name, rules]));
  const masked = (change: VariableChange): VariableChange => {
    const { name, newName = name, before, after } = change;
    if (isPublic(present.get(newName)) || before?.secret !== after?.secret) return change;
    return {
      ...change,
      before: before && { ...before, secret: undefined },
      after: after && { ...after, secret: undefined },
    };
  };
  const shown = parts.map((part) => ({ ...part, place, changes: part.changes.map(masked) }));
  return changeLines(state, { purpose: "edit", parts: shown }, width, isRevealed(state.revealed));
}
