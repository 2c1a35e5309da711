import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { NEEDS_SEAL_KEY } from "../../model/seal-key.js";
import { isSealedText } from "../../model/variable.js";
import type {
  EnvironmentChanges,
  VariableState,
  WantedValue,
} from "../../model/variable-change.js";
import { variablesText } from "../stack/panel.js";
import { blockingEffect } from "../state/effects.js";
import type { Editor } from "../state/ports.js";
import type { Entries } from "../state/readings.js";
import { notify, type State, type Tools } from "../state/state.js";
import { review } from "./review.js";
import type { Part, PlannedEdit } from "./review-text.js";

export function contentOf({
  variable: { id: _, name, ...definition },
  value,
  rules,
}: VariableEntry): VariableState {
  return { ...definition, ...rules, value: value?.content.value };
}

export function deleteFrom(
  state: State,
  names: readonly string[],
  places: readonly number[],
): State {
  const NO_VALUE = { type: "STRING", description: "", value: undefined } as const;
  const wanted = names.map((name): WantedValue => ({ name, ...NO_VALUE }));
  return plan(
    state,
    { purpose: "delete" },
    places,
    wanted,
    `${variablesText(wanted)} ${wanted.length === 1 ? "has" : "have"} no value to delete`,
  );
}

/** Copies encrypted values as stored, and skips entries without a value. */
export function copyTo(
  state: State,
  entries: Entries,
  places: readonly number[],
  from = "",
): State {
  const set = entries.filter(({ value }) => value !== undefined);
  const sealed = set.find(({ value }) => isSealedText(value?.content.value));
  if (sealed) return notify(state, `${sealed.variable.name} ${NEEDS_SEAL_KEY}`, "error");
  const wanted = set.map(
    (entry): WantedValue => ({ name: entry.variable.name, ...contentOf(entry) }),
  );
  const emptyMessage =
    set.length === 0 ? "there is no value to copy" : "nothing to change: the values are the same";
  return plan(state, { purpose: "copy", from }, places, wanted, emptyMessage);
}

function plan(
  state: State,
  edit: Pick<PlannedEdit, "purpose" | "from">,
  places: readonly number[],
  wanted: readonly WantedValue[],
  emptyMessage: string,
): State {
  return blockingEffect(state, async (tools) => {
    const parts = await plannedParts(tools, places, (editor, environments) =>
      editor.assign(environments.map((environment) => ({ environment, changes: wanted }))),
    );
    if (parts.length === 0) return (now) => notify(now, emptyMessage, "error");
    const changed = new Set(parts.flatMap(({ changes }) => changes.map(({ name }) => name)));
    const unchanged = wanted.flatMap(({ name }) => (changed.has(name) ? [] : name));
    return (now) => review(now, { ...edit, parts, unchanged });
  });
}

export async function plannedParts(
  { places }: Tools,
  indexes: readonly number[],
  planned: (
    editor: Editor,
    environments: readonly string[],
  ) => Promise<readonly EnvironmentChanges[]>,
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const { editor, indexOf } of await places.byStore(indexes)) {
    const changes = await planned(editor, [...indexOf.keys()]);
    parts.push(...changes.map((each) => ({ ...each, place: indexOf.get(each.environment) ?? -1 })));
  }
  return parts;
}

/**
 * Finds the listed place of each part, in the data of `place`. Drops parts
 * without one.
 */
export function inPlaces(
  { places }: State,
  place: number,
  all: readonly EnvironmentChanges[],
): readonly Part[] {
  const { location } = places[place] ?? {};
  return all.flatMap((part) => {
    const listed = [place, ...places.keys()].find((index) => {
      const each = places[index];
      return each?.identity === part.environment && each.location === location && !each.isGone;
    });
    return listed === undefined ? [] : { ...part, place: listed };
  });
}
