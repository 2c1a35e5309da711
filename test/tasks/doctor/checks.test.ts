import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { interpretHealth } from "../../../src/client/decode.js";
import {
  InvalidDataError,
  UnauthorizedError,
  UnreachableError,
  UsageError,
} from "../../../src/kit/text/errors.js";
import { type Data, NO_DATA } from "../../../src/store/data.js";
import { diagnoseData } from "../../../src/tasks/doctor/check-data.js";
import {
  ask,
  checkClock,
  checkRateLimit,
  checkReachability,
  checkTls,
  tryCredentials,
} from "../../../src/tasks/doctor/check-server.js";
import { checkFiles } from "../../../src/tasks/doctor/diagnose.js";
import type { Finding } from "../../../src/tasks/doctor/finding.js";
import { dataLocationOf } from "../../../src/tasks/settings/connection.js";
import { Settings, settingsFrom } from "../../../src/tasks/settings/resolve-settings.js";
import { VARIABLES } from "../../contract/development.js";
import { aCaller } from "../../support/caller.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const answer = (status: number, headers: Record<string, string> = {}, body = "") => ({
  status,
  headers,
  body,
  milliseconds: 5,
});
const failure = (code: string) =>
  new UnreachableError("can't reach it", { cause: Object.assign(new Error(), { code }) });
type Reply = ReturnType<typeof answer> | UnreachableError;

/** A transport with these answers and failures, in turn. */
const replying = (replies: Reply[]) => ({
  get: async () => {
    const reply = replies.shift() ?? failure("ECONNRESET");
    if (reply instanceof Error) throw reply;
    return reply;
  },
});

describe("checkClock", () => {
  it.each([
    ["right", 0, "ok", "within 1 s"],
    ["a little ahead", 30_000, "ok", "within 30 s"],
    ["close to too far ahead", 31_000, "warning", "31 s ahead of"],
    ["just not too far ahead", 60_000, "warning", "60 s ahead of"],
    ["too far ahead", 61_000, "problem", "61 s ahead of"],
    ["a little behind", -150_000, "ok", "within 150 s"],
    ["close to too far behind", -151_000, "warning", "151 s behind"],
    ["just not too far behind", -300_000, "warning", "300 s behind"],
    ["too far behind", -301_000, "problem", "301 s behind"],
  ])("the clock is %s", (_what, skew, verdict, message) => {
    expect(checkClock(skew, false)).toMatchObject({
      verdict,
      message: expect.stringContaining(message),
    });
  });

  it("the clock is a warning if the server accepts its signatures", () => {
    expect(checkClock(1e9, true)).toMatchObject({ verdict: "warning" });
  });

  it("the clock is skipped without the server's time", () => {
    expect(checkClock(undefined, false)).toMatchObject({ verdict: "skipped" });
  });
});

describe("diagnoseData", () => {
  const placeAt = (url: string) =>
    dataLocationOf(new Settings(settingsFrom("flag", { store: url }), aCaller()));
  const check = async (url: string, open: () => Promise<Data>) => {
    const local = { kind: "data", location: placeAt(url), env: undefined } as const;
    return (await diagnoseData(local, aCaller({ clock: () => 0 }), open))["store"] as Finding[];
  };

  it.each([
    [
      new UnreachableError("no member answers"),
      "unreachable",
      "start the server (appvars serve, or etcd for a store)",
    ],
    [new UnauthorizedError("refused"), "unauthorized", "correct APPVARS_STORE_USER"],
    [new UsageError("there is no seal key"), "usage", "correct this setting"],
    [new InvalidDataError("it is broken"), "invalid_data", "correct the data"],
  ])("a store that can't be read is a problem: %o", async (error, code, fix) => {
    const [finding] = await check("etcd://127.0.0.1", () => Promise.reject(error));
    const { message } = error;
    expect(finding).toMatchObject({
      verdict: "problem",
      code,
      message,
      fix: expect.stringContaining(fix),
    });
  });

  it.each([
    ["etcd://10.0.0.1", ["warning", "ok"]],
    ["etcd://127.0.0.1,10.0.0.1", ["warning", "ok"]],
    ["etcd://localhost,127.0.0.1,[::1]", ["ok"]],
    ["etcds://10.0.0.1", ["ok"]],
  ])("the traffic with %s is a warning if others can read it", async (url, verdicts) => {
    const findings = await check(url, async () => NO_DATA);
    expect(findings.map(({ verdict }) => verdict)).toEqual(verdicts);
  });
});

describe("checkRateLimit", () => {
  const headers = (limit: string, remaining: string) => ({
    "ratelimit-limit": limit,
    "ratelimit-remaining": remaining,
    "ratelimit-reset": "42",
  });

  it.each([
    ["11", "ok"],
    ["10", "warning"],
    ["0", "warning"],
  ])("a rate limit with %s of 100 requests left is %s", (remaining, verdict) => {
    const finding = checkRateLimit(answer(200, headers("100", remaining)));
    expect(finding).toMatchObject({
      verdict,
      message: `${remaining} of 100 requests are left for the next 42 s`,
    });
  });

  it.each([{}, headers("many", "few")])("the rate limit is skipped with headers %o", (none) => {
    expect(checkRateLimit(answer(200, none as Record<string, string>))).toMatchObject({
      verdict: "skipped",
    });
  });
});

describe("checkTls", () => {
  const NOW = Date.parse("2026-06-01T00:00:00Z");
  const DAY = 86_400_000;
  const check = (to: number, refusal?: string) =>
    checkTls({ url: "https://a", auth: "hmac" }, { validTo: NOW + to * DAY, refusal }, NOW);

  it.each([
    ["valid for long", 14, undefined, "ok", "valid for 14 d, until 2026-06-15"],
    ["soon to expire", 13.9, undefined, "warning", "valid for 13 d, until 2026-06-14"],
    ["expired", 0, "CERT_HAS_EXPIRED", "problem", "expired (valid until 2026-06-01)"],
    [
      "expired and not known either",
      -1,
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "problem",
      "expired (valid until 2026-05-31)",
    ],
    ["not valid yet", 9, "CERT_NOT_YET_VALID", "problem", "not valid yet"],
    ["for another host", 90, "ERR_TLS_CERT_ALTNAME_INVALID", "problem", "another host"],
    ["self-signed", 90, "DEPTH_ZERO_SELF_SIGNED_CERT", "problem", "self-signed"],
    ["of an unknown authority", 90, "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "problem", "authority"],
    ["refused for something else", 90, "CERT_REVOKED", "problem", "CERT_REVOKED"],
  ])("the certificate is %s", (_what, to, refusal, verdict, message) => {
    expect(check(to, refusal)).toMatchObject({
      verdict,
      message: expect.stringContaining(message),
    });
  });

  it("a certificate of an unknown authority is fixed with --ca-file", () => {
    expect(check(90, "SELF_SIGNED_CERT_IN_CHAIN")).toMatchObject({
      fix: expect.stringContaining("--ca-file"),
    });
  });

  it.each([
    ["http://127.0.0.1:7400", "skipped"],
    ["http://[::1]:7400", "skipped"],
    ["http://localhost", "skipped"],
    ["http://vars.example", "warning"],
    ["https://vars.example", "skipped"],
  ])("a missing certificate of %s is %s", (url, verdict) => {
    expect(checkTls({ url, auth: "hmac" }, undefined, NOW)).toMatchObject({ verdict });
  });

  it("a missing certificate is a warning about the secret with --auth headers", () => {
    const finding = checkTls({ url: "http://vars.example", auth: "headers" }, undefined, NOW);
    expect(finding).toMatchObject({
      verdict: "warning",
      message: expect.stringMatching(/the API secret and all values can be read/),
    });
  });
});

describe("checkReachability", () => {
  const check = async (reply: Reply) => {
    const server = { origin: new URL("http://a"), timeout: 5 };
    return checkReachability(
      { url: "http://a", server },
      await ask(replying([reply]), "/healthz", interpretHealth),
    );
  };
  const HEALTH = '{"uptime":61.5,"message":"OK","date":"2026-01-01T00:00:00.000Z"}';

  it.each([
    [200, HEALTH, "ok", "answers in 5 ms, up 61 s"],
    [503, HEALTH.replace("OK", "the store is gone"), "problem", "not healthy: the store is gone"],
    [503, "<html>", "problem", "not an appvars server (status 503)"],
    [502, "", "problem", "the server failed with status 502"],
    [200, "<html>", "problem", "not an appvars server"],
    [404, '{"message":"Not found"}', "problem", "not an appvars server"],
    [429, '{"message":"Too many"}', "problem", "rate-limited by the server"],
    [301, "", "problem", "not an appvars server (status 301)"],
  ])("judges the answer %i %s", async (status, body, verdict, message) => {
    expect(await check(answer(status, {}, body))).toMatchObject({
      verdict,
      message: expect.stringContaining(message),
    });
  });

  it("shows the target of a redirect, without its credentials and query", async () => {
    const location = "https://user:hunter2@login.example/in?token=hunter2#hunter2";
    const { message } = await check(answer(302, { location }));
    expect(message).toBe("the server redirects to https://login.example/in, which is not followed");
  });

  it.each([
    ["OK", "ok", "up 61 s, its data 5 min old"],
    ["it can't be read", "warning", "answers, but it can't be read"],
  ])(
    "gives the age of the data of a server that answers %s",
    async (message, verdict, expected) => {
      const finding = await check(
        answer(200, { "appvars-data-age": "300" }, HEALTH.replace("OK", message)),
      );
      expect(finding).toMatchObject({ verdict, message: expect.stringContaining(expected) });
    },
  );

  it("suggests a fix for a server that does not answer", async () => {
    const expected = {
      verdict: "problem",
      code: "unreachable",
      fix: expect.stringContaining("start the server"),
    };
    expect(await check(failure("ECONNREFUSED"))).toMatchObject(expected);
  });
});

describe("tryCredentials", () => {
  const yes = answer(
    200,
    {},
    JSON.stringify({ metadata: { limit: 1, offset: 0, total: 7 }, data: [VARIABLES[0]] }),
  );
  const no = answer(401, {}, '{"message":"Unauthorized"}');
  /** @param replies as sent, on the server's time, and without the key */
  const check = async (replies: Reply[], others = {}) => {
    const access = { auth: "hmac", apiKey: "a", secret: "b", ...others } as const;
    return (await tryCredentials(replying(replies), access, () => 0, 0)).finding;
  };

  it.each([
    ["right", [yes], "ok", "7 variables"],
    ["right, but for the clock", [no, yes], "ok", "see clock"],
    ["a wrong key", [no, no, yes], "problem", "key is wrong"],
    ["a wrong secret", [no, no, no], "problem", "secret is wrong"],
    ["one of both", [no, no, answer(429)], "problem", "the server refused the credentials"],
    [
      "not known at 429",
      [answer(429, { "retry-after": "17" })],
      "problem",
      "it accepts requests again in 17 s",
    ],
  ])("credentials are %s", async (_what, replies, verdict, message) => {
    expect(await check(replies)).toMatchObject({
      verdict,
      message: expect.stringContaining(message),
    });
  });

  it("a wrong secret without a key is a problem", async () => {
    expect((await check([no, no], { apiKey: undefined })).message).toBe(
      "the API secret is wrong: it is rejected",
    );
  });

  it("credentials that are accepted only as a signature suggest --auth hmac", async () => {
    expect(await check([no, yes], { auth: "headers" })).toMatchObject({
      verdict: "problem",
      fix: "use --auth hmac",
    });
  });

  it.each([
    [answer(500), "server_error"],
    [answer(429), "rate_limited"],
    [answer(200, {}, "<html>"), "server_error"],
    [failure("ECONNRESET"), "unreachable"],
  ])("credentials are a problem with the reply %o", async (asSent, code) => {
    expect(await check([asSent])).toMatchObject({ verdict: "problem", code });
  });
});

it("file modes are not checked on Windows, which has none", async () => {
  const file = join(await temporaryFolder(), "secret");
  await writeFile(file, "");
  const { surroundings } = aCaller({ platform: "win32", user: undefined, groups: [] });
  await chmod(file, 0o600);
  const findings = checkFiles([file], undefined, surroundings);
  expect(findings).toMatchObject([
    { verdict: "skipped", message: expect.stringContaining("icacls") },
  ]);
});
