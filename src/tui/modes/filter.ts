import { moveInList, withList, withTypedFilter } from "../browse/list.js";
import { decryptSelected } from "../browse/reveal.js";
import type { Key } from "../input/key.js";
import { textField } from "../input/text-field.js";
import { type Step, step } from "../state/messages.js";
import type { Mode } from "../state/modes.js";
import { backToBrowse, type State } from "../state/state.js";
import { filterKeyed } from "./typed-filter.js";

export function openFilter(state: State): Step {
  const { filter } = state.list;
  return step({ ...state, focus: "variables", mode: { kind: "filter", field: textField(filter), before: filter } });
}

/** The list follows the filter with each key. */
export function filterKey(state: State, mode: Extract<Mode, { kind: "filter" }>, key: Key): Step {
  return filterKeyed(mode.field, key, {
    keep: () => step(backToBrowse(state)),
    restore: () => step(withList(backToBrowse(state), { filter: mode.before })),
    move: (name) => decryptSelected(moveInList(state, name)),
    edit: (field, isChanged) => {
      const next: State = { ...state, mode: { ...mode, field } };
      return isChanged ? decryptSelected(withTypedFilter(next, field.text)) : step(next);
    },
  });
}
