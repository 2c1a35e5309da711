import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { isReservedName } from "../../model/reserved-names.js";
import { isEnvelope, isPublic } from "../../model/variable.js";
import { type PanelContent, scrolledLines } from "../stack/panel.js";
import { layoutOf, pageSize, type Size, textColumns } from "../state/layout.js";
import { groupOf } from "../state/places.js";
import { readingOf } from "../state/readings.js";
import type { State } from "../state/state.js";
import { RESERVED_WARNING } from "../table/copying.js";
import { findingOf } from "../table/reveal.js";
import { listOf, selectedEntry } from "../table/selection.js";
import { kindOf, tableOf } from "../table/table.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { type Line, labelled, line, spaced, wrapLine, wrapLines } from "../text/line.js";
import type { Role } from "../text/theme.js";
import { statusLines } from "../view/status-lines.js";
import { type PlaceValue, placeValueLines, wrappedValue } from "../view/values.js";
import { scrollBy, scrollByKey } from "../widgets/list.js";

/** Panels of this height show the facts as a table. */
const TALL = 14;

/**
 * The columns of a title besides its text: spaces and the mark of the focus.
 */
const AROUND_TITLE = 4;

const CHANGES = { added: "+ new", changed: "~ changed" } as const;

export function recordPanel(state: State, size: Size): PanelContent {
  const width = textColumns(size);
  const lines = recordLines(state, width);
  const page = size.height - 2;
  return {
    title: visibleText(selectedEntry(state)?.variable.name ?? "Variable"),
    isFocused: state.focus === "record",
    ...scrolledLines(lines, state.recordTop, page),
    panel: "record",
    scroll: (now, by) => ({ ...now, recordTop: scrollBy(now.recordTop, lines.length, page, by) }),
  };
}

export function scrollRecord(state: State, key: string): State {
  const { record } = layoutOf(state);
  const count = record ? recordLines(state, textColumns(record)).length : 0;
  const recordTop = scrollByKey(state.recordTop, count, pageSize(state, "record"), key);
  return { ...state, recordTop };
}

/**
 * Shows the selected variable. The name, which is the title, is repeated only
 * if the title cuts it. A problem of the place is shown in full, since the list
 * has only one line for it.
 */
function recordLines(state: State, width: number): readonly Line[] {
  const entry = selectedEntry(state);
  if (!entry) return [];
  const visibleName = visibleText(entry.variable.name);
  const isCut = textWidth(visibleName) + AROUND_TITLE > width;
  const name = isCut ? wrapLine(line(visibleName, "accent"), width) : [];
  const description =
    entry.variable.description === "" ? [] : wrapLines(entry.variable.description, width, "text");
  const value = wrappedValue(state, entry, width);
  const problem = statusLines(state, width);
  const facts = factsOf(entry, state);
  if (pageSize(state, "record") >= TALL) {
    const table = facts.flatMap(([label, text = "", role]) =>
      wrapLine(labelled(label, line(visibleText(text), role)), width),
    );
    return spaced([
      problem,
      [...name, ...description],
      table,
      value,
      elsewhereLines(entry, state, width),
    ]);
  }
  const head = [...name, ...wrapLines(facts.map(([, text]) => text).join(" · "), width, "muted")];
  // The value comes first, so that neither a long description nor a problem
  // hides it.
  const rest = description.length > 1 ? [...value, ...description] : [...description, ...value];
  return spaced([[...head, ...rest], problem, elsewhereLines(entry, state, width)]);
}

/**
 * Shows the variable in the other places of the group that can be read without
 * requests.
 */
function elsewhereLines(entry: VariableEntry, state: State, width: number): readonly Line[] {
  const places = groupOf(state).filter((place) => {
    const { isLocal, isComplete } = readingOf(state, place);
    return place === state.place || (isLocal && isComplete);
  });
  if (places.length === 1) return [];
  const { row } = listOf(state);
  const items = tableOf(state, places).columns.flatMap(({ place, cells }): PlaceValue[] => {
    return place === state.place
      ? []
      : [{ place, kind: kindOf(entry, cells[row]), entry: cells[row], lines: 1 }];
  });
  return [line("in other environments", "muted"), ...placeValueLines(state, items, width)];
}

type Fact = readonly [label: string, text: string | undefined, role?: Role];

function factsOf(entry: VariableEntry, state: State): readonly Fact[] {
  const { variable, value, rules } = entry;
  const { type, name } = variable;
  const problem = findingOf(state, entry);
  const { optional, schema } = rules ?? {};
  const { changes, isEditable } = readingOf(state);
  const mark = changes?.kinds.get(name);
  const all: readonly Fact[] = [
    ["type", type],
    // A server does not send the rules.
    [
      "rules",
      isEditable
        ? (isPublic(rules) ? "public" : "secret") + (optional ? ", optional" : "")
        : undefined,
    ],
    ["schema", schema && JSON.stringify(schema)],
    ["encrypted", isEnvelope(value?.content.value) ? "encrypted by a client" : undefined],
    ["check", problem && `! ${problem}`, "danger"],
    ["change", mark && CHANGES[mark], "warning"],
    ["name", isReservedName(name) ? RESERVED_WARNING : undefined, "warning"],
  ];
  return all.filter(([, text]) => text !== undefined);
}
