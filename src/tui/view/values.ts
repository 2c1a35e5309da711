import type { VariableEntry } from "../../model/reads/variable-entries.js";
import type { VariableType } from "../../model/variable.js";
import { memoized } from "../state/memoized.js";
import { shortPlaceName } from "../state/places.js";
import { readingOf } from "../state/readings.js";
import type { State } from "../state/state.js";
import { findingOf, MASK, parsedJson, type ShownValue, shownValue } from "../table/reveal.js";
import type { CellKind } from "../table/table.js";
import { textWidth, visibleText, withVisibleEnd } from "../text/graphemes.js";
import { cellText, cutLine, fitText, type Line, line, type Span, wrapLine } from "../text/line.js";
import type { Role } from "../text/theme.js";
import { statusLine } from "./status-lines.js";

export const PLACEHOLDERS: Readonly<Record<ShownValue["kind"], Span>> = {
  shown: { text: "(empty)", role: "muted" },
  masked: { text: MASK, role: "muted" },
  encrypted: { text: "(encrypted)", role: "warning" },
  sealed: { text: "(sealed)", role: "warning" },
  none: { text: "(no value)", role: "muted" },
  loading: { text: "…", role: "muted" },
};

const ROLES = { STRING: "text", NUMBER: "number", BOOLEAN: "boolean", JSON: "text" } as const;

const CELL_ROLES = { ...ROLES, STRING: "string", JSON: "json" } as const;

/** The value, or its placeholder, as one cell. */
export function valueCell(state: State, entry: VariableEntry, width: number, before = ""): Span {
  const shown = shownValue(entry, state);
  const isText = shown.kind === "shown" && shown.text !== "";
  const { text, role = "text" } = isText
    ? { text: withVisibleEnd(shown.text), role: CELL_ROLES[entry.variable.type] }
    : PLACEHOLDERS[shown.kind];
  return { text: cellText(before + text, width), role };
}

/**
 * Says how a value compares, such as `~ differs`, or shows it if it is not
 * hidden.
 */
export function comparedCell(
  state: State,
  entry: VariableEntry | undefined,
  kind: CellKind,
  width: number,
): Span {
  const look = { ...KINDS[kind], ...(findingOf(state, entry) !== undefined && BROKEN) };
  if (!entry?.value || shownValue(entry, state).kind !== "shown")
    return kindSpan(kind, width, look);
  return { role: look.role ?? "text", text: valueCell(state, entry, width, `${look.sign} `).text };
}

/** Pretty-prints JSON. */
function valueLines(text: string, type: VariableType): readonly Line[] {
  if (text === "") return [[PLACEHOLDERS.shown]];
  const json = type === "JSON" ? parsedJson(text) : undefined;
  if (json !== undefined) return JSON.stringify(json, undefined, 2).split("\n").map(jsonLine);
  return text.split("\n").map((each) => line(visibleText(withVisibleEnd(each)), ROLES[type]));
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(?=(:?))|-?\d[\d.eE+-]*|true|false|null|[^"\dtfn-]+/g;

function jsonLine(text: string): Span[] {
  return Array.from(text.matchAll(TOKEN), ([token, colon]): Span => {
    return { text: visibleText(token), role: colon === ":" ? "json" : roleOf(token) };
  });
}

function roleOf(token: string): Role {
  if (token.startsWith('"')) return "string";
  if (/^[-\d]/.test(token)) return "number";
  return /^[tfn]/.test(token) ? "boolean" : "text";
}

/** A sign and a word for each kind, so that no meaning depends on color alone. */
export const KINDS: Readonly<Record<CellKind, Span & { readonly sign: string }>> = {
  same: { sign: "=", text: "same", role: "muted" },
  differs: { sign: "~", text: "differs", role: "warning" },
  missing: { sign: "-", text: "missing", role: "danger" },
  encrypted: { sign: "*", text: "encrypted", role: "json" },
  unread: { sign: "?", text: "not read", role: "muted" },
};

/** `= same`. Blank while the place has not been read. */
function kindSpan(kind: CellKind, width: number, { sign, text, ...look } = KINDS[kind]): Span {
  return { ...look, text: fitText(kind === "unread" ? "" : `${sign} ${text}`, width) };
}

const BROKEN = { sign: "!", role: "danger" } as const;

export const KIND_LEGEND: Line = [
  ...Object.values(KINDS),
  { ...BROKEN, text: "breaks a rule" },
].flatMap(({ sign, text, ...look }, index) => {
  return [{ text: index === 0 ? "" : "  " }, { ...look, text: `${sign} ${text}` }];
});

const MAX_PLACE = 24;
const KIND = 11;

export interface PlaceValue {
  /** The index of the place. */
  readonly place: number;
  readonly kind: CellKind;
  readonly entry: VariableEntry | undefined;
  /** The most lines for the value. */
  readonly lines: number;
  readonly isSelected?: boolean;
}

/**
 * A variable in several places: their names, how the values compare, and the
 * values, masked unless revealed.
 */
export function placeValueLines(state: State, items: readonly PlaceValue[], width: number): Line[] {
  const widest = Math.max(...items.map(({ place }) => textWidth(shortPlaceName(state, place))));
  const name = Math.min(MAX_PLACE, widest, Math.floor(width / 3));
  const indent = name + KIND + 6;
  return items.flatMap((item) => {
    const { place, kind, isSelected = false } = item;
    const mark = `${isSelected ? "›" : " "} ${cellText(shortPlaceName(state, place), name)}  `;
    const head: Line = [{ text: mark, isBold: isSelected }, kindSpan(kind, KIND), { text: "  " }];
    return valueHead(state, item, Math.max(1, width - indent)).map((value, index): Line => {
      return [...(index === 0 ? head : [{ text: " ".repeat(indent) }]), ...value];
    });
  });
}

function valueHead(
  state: State,
  { place, entry, lines }: PlaceValue,
  width: number,
): readonly Line[] {
  const { failure } = readingOf(state, place);
  if (failure) return [cutLine(statusLine(state, place) ?? [], width)];
  return entry?.value ? wrappedValue(state, entry, width, lines) : [[]];
}

/** Cached, since wrapping 1 MB takes 500 ms. */
const wrapped = memoized<VariableEntry, readonly Line[]>();

/** Returns the first `count` lines of a value, with `…` if there are more. */
export function wrappedValue(
  state: State,
  entry: VariableEntry,
  width: number,
  count = Infinity,
): readonly Line[] {
  const shown = shownValue(entry, state);
  if (shown.kind !== "shown") return [cutLine([PLACEHOLDERS[shown.kind]], width)];
  return wrapped(entry, [shown.text, count, width], () => {
    const lines: Line[] = [];
    for (const each of valueLines(shown.text, entry.variable.type)) {
      if (lines.length > count) break;
      for (const part of wrapLine(each, width)) lines.push(part);
    }
    if (lines.length <= count) return lines;
    return [
      ...lines.slice(0, count - 1),
      cutLine([...(lines[count - 1] ?? []), { text: " …" }], width),
    ];
  });
}
