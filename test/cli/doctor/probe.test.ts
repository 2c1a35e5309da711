import { expect, it } from "vitest";
import { skewOf, withProbe } from "../../../src/cli/doctor/probe.js";
import { httpPeer } from "../../client/peer.js";

it.each([-3_600, 3_600])("a clock that is set by %d s during a request is that far off", async (seconds) => {
  let change = 0;
  const { url: origin } = await httpPeer((_req, res) => {
    change = seconds * 1_000;
    res.end("{}");
  });
  const clocks = { clock: () => Date.now() + change, ticks: () => performance.now() };
  const outcome = await withProbe({ origin, timeout: 10 }, clocks, (probe) => probe("/healthz"));
  expect(Math.abs((skewOf(outcome) ?? 0) / 1_000 - seconds)).toBeLessThan(10);
});
