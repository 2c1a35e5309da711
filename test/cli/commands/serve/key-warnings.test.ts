import { expect, it, onTestFinished, vi } from "vitest";
import { logKeyWarnings } from "../../../../src/cli/commands/serve/serve-log.js";
import { changingStore } from "../../../support/changing-store.js";
import { edited } from "../../../support/data.js";

const HOUR = 3_600_000;
const KEY = { name: "ana", api_key: "ana-key", api_secret: "a-long-secret-of-ana" };

it("the log warns once of a key that expires within 14 days, as time goes by", () => {
  vi.useFakeTimers({ now: Date.parse("2026-01-31T12:00:00.000Z") });
  onTestFinished(() => void vi.useRealTimers());
  const data = edited((copy) => {
    for (const environment of copy.environments) environment.api_secret += "-0123456789";
    copy.environments[0].keys = [{ ...KEY, valid_until: "2026-02-14T14:30:00.000Z" }];
  });
  const log = vi.fn();
  const end = logKeyWarnings(changingStore(data), ["--data", "vars.json"], Date.now, log);
  vi.advanceTimersByTime(2 * HOUR);
  expect(log).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5 * HOUR);
  expect(log.mock.calls).toEqual([
    [
      "warn",
      'the credentials of the key "ana" of shop/development expire at 2026-02-14T14:30:00.000Z; to replace them, run: ' +
        "appvars env key rotate shop/development ana --expires 90d --data vars.json",
    ],
  ]);
  end();
  expect(vi.getTimerCount()).toBe(0);
});
