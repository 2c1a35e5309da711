import { type PanelContent, rowLine } from "../stack/panel.js";
import { drawnScreen } from "../stack/screen.js";
import { READ_ONLY, type Size } from "../state/layout.js";
import {
  groupLabel,
  isProduction,
  placeOrder,
  type ReadStatus,
  readStatusOf,
  shortPlaceName,
  whyReadOnly,
} from "../state/places.js";
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
  const visible = rowsAround(rows, placeCursor, page);
  return {
    title: kinds.every((each) => each === kind) ? TITLES[kind] : "Sources",
    footnote: rows.length > page ? `${at + 1}/${order.length}` : undefined,
    isFocused,
    lines: visible.map((row) => {
      if ("group" in row)
        return [
          { text: ` ${cellText(groupLabel(row.group), width - 4)}`, role: "muted", isBold: true },
        ];
      return rowLine(placeCells(state, row.index, width - 2), row.index === placeCursor, isFocused);
    }),
    panel: "places",
    select: (now, { line }) => {
      const row = visible[line];
      return row && "index" in row ? { ...now, placeCursor: row.index } : undefined;
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

/** The heading of a group, or the index of a place in the group. */
type PlaceRow = { readonly group: string } | { readonly index: number };

function placeRows(places: State["places"], order: readonly number[]): readonly PlaceRow[] {
  return order.flatMap((index, at): PlaceRow[] => {
    const group = places[index]?.group ?? "";
    return group === places[order[at - 1] ?? -1]?.group ? [{ index }] : [{ group }, { index }];
  });
}

/** The rows of a page, with the place under the cursor in the middle. */
function rowsAround(rows: readonly PlaceRow[], cursor: number, page: number): readonly PlaceRow[] {
  const at = rows.findIndex((row) => "index" in row && row.index === cursor);
  const top = Math.max(0, Math.min(at - Math.floor(page / 2), rows.length - page));
  return rows.slice(top, top + page);
}
