import { expect, it } from "vitest";
import { differenceDetail } from "../../../src/tui/screens/diff-panel.js";
import type { Revealed } from "../../../src/tui/state/state.js";
import { NOW, readyState } from "../support/state.js";
import { COMPARISON } from "../support/test-modes.js";

const SIZE = { width: 80, height: 20 };
const revealed: Revealed = { names: "all", decrypted: new Map(), until: NOW };

it("the diff of shown values is made once, and again when they are shown anew", () => {
  const detail = (shown: Revealed | undefined) =>
    differenceDetail(readyState([], { revealed: shown }), COMPARISON, SIZE);
  expect(detail(revealed)).toBe(detail(revealed));
  expect(detail({ ...revealed })).not.toBe(detail(revealed));
  expect(detail(undefined)).not.toBe(detail(undefined));
});
