import { ConcurrentChangeError } from "../../model/errors.js";
import { refreshOthers, requestReads } from "../reading/polling.js";
import { ask } from "../stack/question.js";
import { layers, pop } from "../stack/screen.js";
import { shownKey } from "../state/command.js";
import { blockingEffect } from "../state/effects.js";
import { toFailure } from "../state/readings.js";
import { type Effect, notify, type State, type Tools } from "../state/state.js";
import { unmarked } from "../table/selection.js";
import {
  changesOf,
  doneText,
  type Part,
  type PlannedEdit,
  placesText,
  questionOf,
  type Reviewed,
} from "./review-text.js";

/** @param problem why an earlier attempt failed */
export function review(state: State, edit: Reviewed, problem?: string): State {
  return ask(state, { ...questionOf(state, edit), problem, run: (now) => write(now, edit) });
}

/**
 * Writes an edit to each file or store, one after another, while keys wait.
 * Closes the screens opened for it over the table, such as a form, a menu or
 * the history, and reopens them if the edit can't be written.
 */
function write(state: State, edit: Reviewed): State {
  const closed = state.stack.slice(layers(state).findLastIndex(({ screen }) => screen.table) + 1);
  const writing: Effect = async (tools) => {
    const written = new Set<Part>();
    try {
      await writeParts(tools, edit, written);
    } catch (error) {
      const { message } = toFailure(error);
      // The edit has to be planned again, which Ctrl-S does in a form.
      const isOutdated = error instanceof ConcurrentChangeError && written.size === 0;
      return (now) => {
        const opened = { ...now, stack: [...now.stack, ...closed] };
        return isOutdated
          ? notify(opened, message, "error")
          : refused(opened, edit, message, written);
      };
    }
    return (now) => refreshOthers(applied(now, edit));
  };
  return blockingEffect(pop(state, closed.length), writing, {
    lost: " before the edit is written",
  });
}

/** @param written collects the parts that are written */
async function writeParts(
  { places }: Tools,
  { purpose, parts, entry }: PlannedEdit,
  written: Set<Part>,
): Promise<void> {
  for (const { editor, indexOf } of await places.byStore(parts.map(({ place }) => place))) {
    const own = parts.filter(({ environment, place }) => indexOf.get(environment) === place);
    // The history records this: `undo 12` identifies an undo later.
    await editor.apply(own, entry && `${purpose} ${entry.id}`);
    for (const part of own) written.add(part);
  }
}

function refused(state: State, edit: Reviewed, message: string, written: ReadonlySet<Part>): State {
  if (written.size === 0) return review(state, edit, message);
  const done = placesText(state, [...written]);
  const parts = edit.parts.filter((part) => !written.has(part));
  const was = written.size === 1 ? "was" : "were";
  return review(state, { ...edit, parts }, `${message}. Only ${done} ${was} written before`);
}

function applied(state: State, edit: PlannedEdit): State {
  const { purpose, parts } = edit;
  const changes = changesOf(edit);
  const done = [...changes, ...(edit.unchanged ?? []).map((name) => ({ name }))];
  const marks = purpose === "delete" || purpose === "copy" ? unmarked(state, done) : state.marks;
  const next: State = {
    ...notify(state, doneText(state, edit, shownKey(state, "undo")), "success"),
    marks,
  };
  if (!parts.some(({ place }) => place === state.place)) return next;
  const names = new Set(
    changes.flatMap(({ name, newName = name, after }) => (after ? newName : [])),
  );
  // Select an added variable once it has been read.
  const [name = next.list.name] = names.size === 1 ? names : [];
  return requestReads({ ...next, list: { ...next.list, name } }, [state.place]);
}
