import { expect, it } from "vitest";
import { confirmPanel } from "../../../src/tui/edit/confirm-panel.js";
import type { Revealed } from "../../../src/tui/state/state.js";
import { differenceDetail } from "../../../src/tui/view/difference-panel.js";
import { NOW, readyState } from "../support/state.js";
import { COMPARISON, CONFIRMATION, editOf } from "../support/test-modes.js";

const SIZE = { width: 80, height: 20 };
const revealed: Revealed = { names: "all", decrypted: new Map(), until: NOW };

it("the diff of shown values is made once, and again when they are shown anew", () => {
  const detail = (shown: Revealed | undefined) =>
    differenceDetail(readyState([], { revealed: shown }), COMPARISON, SIZE);
  expect(detail(revealed)).toBe(detail(revealed));
  expect(detail({ ...revealed })).not.toBe(detail(revealed));
  expect(detail(undefined)).not.toBe(detail(undefined));
});

it("a confirmation of a change of a megabyte is drawn again at once", () => {
  const value = (text: string) => Array.from({ length: 50_000 }, (_, index) => `${text} ${index} of many`).join("\n");
  const assigned = (text: string) => ({ type: "STRING" as const, description: "", value: value(text) });
  const mode = { ...CONFIRMATION, edit: editOf("LONG", assigned("before"), assigned("after")), isRevealed: true };
  const draw = (top: number) => {
    const start = performance.now();
    const { lines } = confirmPanel(readyState(), { ...mode, top }, SIZE);
    return { ms: performance.now() - start, lines };
  };
  const first = draw(0);
  const again = [1, 2, 3, 4, 5].map((top) => draw(top).ms).sort((a, b) => a - b);
  expect(again[2]).toBeLessThan(first.ms / 2);
  expect(first.lines).toHaveLength(18);
});
