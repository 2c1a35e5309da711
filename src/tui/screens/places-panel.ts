import { type PanelContent, rowLine } from "../stack/panel.js";
import { drawnScreen } from "../stack/screen.js";
import { READ_ONLY, type Size } from "../state/layout.js";
import {
  groupLabel,
  isProduction,
  placeOrder,
  shortPlaceName,
  whyReadOnly,
} from "../state/places.js";
import { type ReadStatus, readStatusOf } from "../state/readings.js";
import type { State } from "../state/state.js";
import { cellText, type Line, type Span } from "../text/line.js";
import { scrollBy } from "../widgets/list.js";

const TITLES = { profile: "Profiles", environment: "Environments", server: "Servers" } as const;

export function placesPanel(state: State, { width, height }: Size): PanelContent {
  const { places, placeCursor, focus } = state;
  const isFocused = focus === "places" && drawnScreen(state) === undefined;
  const order = placeOrder(places);
  const at = order.indexOf(placeCursor);
  const kinds = order.map((index) => places[index]?.kind ?? "profile");
  const [kind = "profile"] = kinds;
  const rows = placeRows(places, order);
  const page = height - 2;
  // The place under the cursor is in the middle.
  const middle = rows.indexOf(placeCursor) - Math.floor(page / 2);
  const top = Math.max(0, Math.min(middle, rows.length - page));
  const visible = rows.slice(top, top + page);
  return {
    title: kinds.every((each) => each === kind) ? TITLES[kind] : "Sources",
    footnote: rows.length > page ? `${at + 1}/${order.length}` : undefined,
    isFocused,
    lines: visible.map((row) => {
      if (typeof row === "string")
        return [{ text: ` ${cellText(groupLabel(row), width - 4)}`, role: "muted", isBold: true }];
      return rowLine(placeCells(state, row, width - 2), row === placeCursor, isFocused);
    }),
    panel: "places",
    select: (now, { line }) => {
      const row = visible[line];
      return typeof row === "number" ? { ...now, placeCursor: row } : undefined;
    },
    scroll: (now, by) => ({
      ...now,
      placeCursor: order[scrollBy(at, order.length, 1, by)] ?? placeCursor,
    }),
  };
}

const HEALTH: Readonly<Record<ReadStatus, Span>> = {
  reading: { text: "…", role: "muted" },
  ok: { text: "✓", role: "success" },
  problem: { text: "!", role: "warning" },
  failed: { text: "✗", role: "danger" },
  unread: { text: "·", role: "muted" },
};

/** `● production ✓` */
function placeCells(state: State, index: number, width: number): Line {
  const place = state.places[index];
  if (!place) return [];
  const isOpen = index === state.place;
  const mark = whyReadOnly(state, index) === undefined ? "" : READ_ONLY;
  const nameWidth = width - 6 - mark.length;
  const role = isProduction(place) ? "warning" : isOpen ? "accent" : "text";
  const name: Span = {
    text: `${isOpen ? "●" : " "} ${cellText(shortPlaceName(state, index), nameWidth)} `,
    role,
  };
  const health = HEALTH[readStatusOf(state, index)];
  return [name, { text: mark, role: "muted" }, health];
}

/** The indexes of places, each group after its name. */
function placeRows(places: State["places"], order: readonly number[]) {
  return order.flatMap((index, at) => {
    const group = places[index]?.group ?? "";
    return group === places[order[at - 1] ?? -1]?.group ? [index] : [group, index];
  });
}
