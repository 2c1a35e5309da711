import { formatDuration } from "../../kit/text/duration.js";
import { placesPanel } from "../screens/places-panel.js";
import { recordPanel } from "../screens/record-panel.js";
import { variablesPanel } from "../screens/variables-panel.js";
import { actsOnMarked } from "../stack/grid.js";
import { type Panel, type PanelContent, type PanelFrame, panelFrame } from "../stack/panel.js";
import { quitQuestion } from "../stack/question.js";
import {
  commandHints,
  drawnScreen,
  fixedHelpKey,
  hints,
  keyLine,
  noticeLines,
  topScreen,
} from "../stack/screen.js";
import {
  isSmall,
  isTooSmall,
  type Layout,
  layoutOf,
  MIN_SCREEN,
  questionSize,
  type Size,
} from "../state/layout.js";
import { attributesOf, identityOf, isProduction } from "../state/places.js";
import { readingOf } from "../state/readings.js";
import type { Command, State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import {
  asciiLine,
  countText,
  cutLine,
  fitLine,
  indented,
  type Line,
  line,
  lineWidth,
  type Span,
  wrapLines,
} from "../text/line.js";
import type { Role } from "../text/theme.js";
import { countsText, untilText } from "../view/status-lines.js";
import { sortArrow } from "../view/table-panel.js";

/**
 * The content of a large enough screen: a header, up to three columns of
 * panels, and a footer. A click finds its target here, too.
 */
export function screenContent(state: State) {
  const body = bodyColumns(state, layoutOf(state));
  return { header: headerLine(state), body, footer: footerLines(state) };
}

function bodyColumns(state: State, layout: Layout): readonly (readonly Panel[])[] {
  const { places, variables, record } = layout;
  const { screen, data } = drawnScreen(state) ?? {};
  const shown = screen?.body?.(state, data, layout).filter(({ size: { height } }) => height > 0);
  if (shown) return [shown];
  const size = questionSize(layout);
  const question = screen?.panel?.(state, data, size);
  const left = panelsOf(places, (room) => placesPanel(state, room));
  // If only the list of places is open, it fills the body, so the question
  // replaces it.
  if (question) return [variables ? left : [], [{ size, content: question }]];
  const list = panelsOf(variables, (room) => variablesPanel(state, room));
  const detail = panelsOf(record, (room) => recordPanel(state, room));
  return record?.height === layout.body.height
    ? [left, list, detail]
    : [left, [...list, ...detail]];
}

/** Whether a place that the screen shows or edits is production. */
function showsProduction(state: State): boolean {
  const { screen, data } = drawnScreen(state) ?? {};
  const own = screen?.body ? [] : [state.place];
  const shown = screen?.places?.(state, data) ?? own;
  return shown.some((index) => isProduction(state.places[index]));
}

function panelsOf(
  size: Size | undefined,
  contentFor: (size: Size) => PanelContent,
): readonly Panel[] {
  return size ? [{ size, content: contentFor(size) }] : [];
}

/**
 * The input of a filter or a command, a notice, or else the number typed so far
 * and the available keys.
 */
function footerLines(state: State): readonly Line[] {
  const { notice, columns, pending, count } = state;
  const open = topScreen(state);
  const input = open?.screen.input?.(state, open.data);
  const noticed = notice ? noticeLines(notice, columns) : [];
  if (input) return [...noticed, ...input];
  if (notice) return noticed;
  if (pending && quitQuestion(state) === undefined)
    return [line(` … please wait; ${pending.isReading ? "Esc cancels" : "Ctrl-C quits"}`, "muted")];
  const typed: Line =
    count === undefined ? [] : [{ text: ` ${count} `, role: "warning", isBold: true }];
  const help = fixedHelpKey(state);
  const keys = open?.screen.hints?.(state, open.data) ?? commandHints(state, inOrder(state));
  const fixed = keys.filter(
    ({ label }, index) => label === HELP_LABEL || index === keys.length - 1,
  );
  const others = keys.filter((hint) => !fixed.includes(hint));
  const last = [...(help === undefined ? [] : hints(`${help} ${HELP_LABEL}`)), ...fixed];
  return [[...typed, ...keyLine(others, columns - lineWidth(typed), last)]];
}

/**
 * This hint and the last one, which says how to leave, are shown at any width.
 */
const HELP_LABEL = "help";

/**
 * Puts commands that open something or act on marks first, and those that leave
 * last.
 */
function inOrder(state: State): readonly Command[] {
  const { stack, focus } = state;
  const marked = actsOnMarked(state) ? ["copy-to", "copy", "delete"] : [];
  const first = [
    ...(stack.length > 0
      ? ["copy-to", "copy-from", "open", "next-panel"]
      : focus === "places"
        ? ["open"]
        : ["back"]),
    ...(isSmall(layoutOf(state).body) ? ["next-panel"] : []),
    ...marked,
  ];
  const last = [HELP_LABEL, stack.length > 0 ? "back" : "quit"];
  const rank = ({ name }: Command) => {
    return first.includes(name) ? first.indexOf(name) - first.length : last.indexOf(name) + 1;
  };
  return state.commands.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * A frame: columns of panels side by side, with full-width lines above and
 * below.
 */
export interface Frame {
  readonly columns: number;
  readonly rows: number;
  readonly above: readonly Line[];
  readonly body: readonly (readonly PanelFrame[])[];
  readonly below: readonly Line[];
}

/** @param isAscii whether the terminal shows only ASCII */
export function frameOf(state: State, isAscii = false): Frame {
  const { columns, rows } = state;
  const shown = (lines: readonly Line[]) => (isAscii ? lines.map(asciiLine) : lines);
  if (isTooSmall(state)) {
    const small = `The terminal is too small; it needs ${MIN_SCREEN.columns}x${MIN_SCREEN.rows}.`;
    const question = quitQuestion(state);
    const text = question === undefined ? `${small} Ctrl-C quits.` : `${question} ${small}`;
    const above = shown(wrapLines(text, columns, "text").slice(0, rows));
    return { columns, rows, above, body: [], below: [] };
  }
  const { header, body, footer } = screenContent(state);
  const isProduction = showsProduction(state);
  const panels = body.map((column) =>
    column.map(({ size, content }): PanelFrame => {
      const isMarked = isProduction && content.panel !== "places";
      const { border, lines, ...panel } = panelFrame(content, size, isMarked);
      return { ...panel, border: isAscii ? "classic" : border, lines: shown(lines) };
    }),
  );
  return { columns, rows, above: shown([header]), body: panels, below: shown(footer) };
}

const BRAND: Span = { text: "appvars  ", role: "accent" };
const MAX_NAME = 32;
const MIN_DETAIL = 14;

/** The name of the open place, and the facts that fit beside it. */
function headerLine(state: State): Line {
  const columns = state.columns - 2;
  const name = cutLine([nameSpan(state)], MAX_NAME);
  let left = columns - lineWidth(name);
  const fits = (part: Line) => {
    const isFitting = lineWidth(part) <= left;
    if (isFitting) left -= lineWidth(part);
    return isFitting;
  };
  const facts = factsOf(state).filter(fits).flat();
  const start = fits([BRAND]) ? [BRAND, ...name] : name;
  const details =
    left < MIN_DETAIL ? [] : cutLine([{ text: detailText(state), role: "muted" }], left);
  return indented([...fitLine([...start, ...details], columns - lineWidth(facts)), ...facts]);
}

function nameSpan({ places, place }: State): Span {
  const open = places[place];
  const name = (open?.kind === "environment" ? open.identity : undefined) ?? open?.name ?? "";
  return {
    text: visibleText(name),
    role: isProduction(open) ? "warning" : "text",
    isBold: true,
  };
}

/** The most important facts come first. Those that don't fit are left out. */
function factsOf(state: State): Line[] {
  const { list, revealed, time } = state;
  const { rateLimit, asOf, isComplete, failure, problem } = readingOf(state);
  const facts: Line[] = [[{ text: `  ${countsText(state)}` }]];
  const add = (text: string, role: Role, isBold = false) => {
    facts.push([
      { text: " · ", role: "muted" },
      { text, role, isBold },
    ]);
  };
  if (revealed) add(`values shown for ${untilText(revealed.until, time)}`, "warning", true);
  if (list.rowFilter) add(`only ${list.rowFilter}`, "text");
  if (list.sort !== "id" || list.isReversed) add(`by ${list.sort} ${sortArrow(list)}`, "text");
  if (rateLimit) {
    const isLow = rateLimit.remaining * 10 < rateLimit.limit;
    add(
      `limit ${countText(rateLimit.remaining)}/${countText(rateLimit.limit)}${isLow ? "!" : ""}`,
      isLow ? "warning" : "muted",
    );
  }
  const age = failure !== undefined || problem !== undefined ? "warning" : "muted";
  const old =
    asOf === undefined ? "age unknown" : `${formatDuration(Math.max(0, time - asOf))} old`;
  if (isComplete || asOf !== undefined) add(old, age);
  return facts;
}

/**
 * The kind, identity and attributes of the place, and the location of its data.
 */
function detailText({ places, place }: State): string {
  const open = places[place];
  const facts = open
    ? [open.kind, identityOf(open) ?? "", ...attributesOf(open), open.location]
    : [];
  return facts.map((text) => (text === "" ? "" : `  ${visibleText(text)}`)).join("");
}
