import { expect, it, onTestFinished } from "vitest";
import { createProbe, skewOf } from "../../../src/cli/doctor/probe.js";
import { Transport } from "../../../src/client/transport.js";
import { httpPeer } from "../../client/peer.js";

it.each([-3_600, 3_600])("a clock that is set by %d s during a request is that far off", async (seconds) => {
  let change = 0;
  const { url: origin } = await httpPeer((_req, res) => {
    change = seconds * 1_000;
    res.end("{}");
  });
  const transport = new Transport({ origin, timeout: 10 });
  onTestFinished(() => transport.close());
  const outcome = await createProbe(transport, () => Date.now() + change)("/healthz");
  expect(Math.abs((skewOf(outcome) ?? 0) / 1_000 - seconds)).toBeLessThan(10);
});
