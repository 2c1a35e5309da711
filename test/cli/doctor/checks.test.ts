import { describe, expect, it } from "vitest";
import { checkClock } from "../../../src/cli/doctor/check-clock.js";
import { checkCredentials } from "../../../src/cli/doctor/check-credentials.js";
import { checkFileModes } from "../../../src/cli/doctor/check-file-modes.js";
import { checkRateLimit } from "../../../src/cli/doctor/check-rate-limit.js";
import { checkReachability } from "../../../src/cli/doctor/check-reachability.js";
import { checkTls } from "../../../src/cli/doctor/check-tls.js";
import type { Answer } from "../../../src/cli/doctor/probe.js";
import { UnreachableError } from "../../../src/domain/errors.js";

const answer = (status: number, headers: Record<string, string> = {}, body = ""): Answer => ({
  response: { status, headers, body },
  sentAt: 0,
  receivedAt: 5,
});
const failure = (code: string) => ({
  error: new UnreachableError("can't reach it", { cause: Object.assign(new Error(), { code }) }),
});

describe("the clock", () => {
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
  ])("is %s", (_what, skew, verdict, message) => {
    expect(checkClock({ skew, harmless: false })).toMatchObject({ verdict, message: expect.stringContaining(message) });
  });

  it("is no problem while the server takes what it signs", () => {
    expect(checkClock({ skew: 1e9, harmless: true })).toMatchObject({ verdict: "warning" });
  });

  it("is not known without the server's", () => {
    expect(checkClock({ skew: undefined, harmless: false })).toMatchObject({ verdict: "skipped" });
  });
});

describe("the rate limit", () => {
  const headers = (limit: string, remaining: string) => ({
    "ratelimit-limit": limit,
    "ratelimit-remaining": remaining,
    "ratelimit-reset": "42",
  });

  it.each([
    ["11", "ok"],
    ["10", "warning"],
    ["0", "warning"],
  ])("with %s of 100 left is %s", (remaining, verdict) => {
    const finding = checkRateLimit(answer(200, headers("100", remaining)));
    expect(finding).toMatchObject({ verdict, message: `${remaining} of 100 requests are left for the next 42 s` });
  });

  it("that is used up is a problem, and when it is not any more is told", () => {
    const finding = checkRateLimit(answer(429, { ...headers("100", "0"), "retry-after": "17" }));
    expect(finding).toMatchObject({ verdict: "problem", code: "rate_limited" });
    expect(finding.message).toBe("the rate limit is used up; it takes more in 17 s");
  });

  it.each([{}, headers("many", "few")])("is not known from %o", (none) => {
    expect(checkRateLimit(answer(200, none as Record<string, string>))).toMatchObject({ verdict: "skipped" });
    expect(checkRateLimit(failure("ECONNREFUSED"))).toMatchObject({ verdict: "skipped" });
  });
});

describe("the certificate", () => {
  const NOW = Date.parse("2026-06-01T00:00:00Z");
  const DAY = 86_400_000;
  const check = (from: number, to: number, refusal?: string) =>
    checkTls("https://a", { validFrom: NOW + from * DAY, validTo: NOW + to * DAY, refusal }, NOW);

  it.each([
    ["valid for long", -1, 14, undefined, "ok", "valid until 2026-06-15"],
    ["soon to expire", -1, 13.9, undefined, "warning", "expires in 13 d, on 2026-06-14"],
    ["expired", -9, 0, "CERT_HAS_EXPIRED", "problem", "expired on 2026-06-01"],
    ["expired and not known either", -9, -1, "DEPTH_ZERO_SELF_SIGNED_CERT", "problem", "expired on 2026-05-31"],
    ["not valid yet", 1, 9, "CERT_NOT_YET_VALID", "problem", "not valid before 2026-06-02"],
    ["for another host", -1, 90, "ERR_TLS_CERT_ALTNAME_INVALID", "problem", "another host name"],
    ["self-signed", -1, 90, "DEPTH_ZERO_SELF_SIGNED_CERT", "problem", "self-signed"],
    ["of an unknown authority", -1, 90, "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "problem", "authority"],
    ["refused for something else", -1, 90, "CERT_REVOKED", "problem", "CERT_REVOKED"],
  ])("is %s", (_what, from, to, refusal, verdict, message) => {
    expect(check(from, to, refusal)).toMatchObject({ verdict, message: expect.stringContaining(message) });
  });

  it("of an authority that is not known is mended with --ca-file", () => {
    expect(check(-1, 90, "SELF_SIGNED_CERT_IN_CHAIN")).toMatchObject({ fix: expect.stringContaining("--ca-file") });
  });

  it.each([
    ["http://127.0.0.1:7400", "skipped"],
    ["http://[::1]:7400", "skipped"],
    ["http://localhost", "skipped"],
    ["http://vars.example", "warning"],
    ["https://vars.example", "skipped"],
  ])("that %s has not is %s", (url, verdict) => {
    expect(checkTls(url, undefined, NOW)).toMatchObject({ verdict });
  });
});

describe("a server", () => {
  const check = (health: Answer | ReturnType<typeof failure>, url = "http://a", speaksOtherScheme = false) =>
    checkReachability(url, { health, speaksOtherScheme, certificate: undefined });
  const HEALTH = '{"uptime":61.5,"message":"OK","date":"2026-01-01T00:00:00.000Z"}';

  it.each([
    [200, HEALTH, "ok", "answers in 5 ms, up 61 s"],
    [503, HEALTH.replace("OK", "the store is gone"), "problem", "not healthy: the store is gone"],
    [503, "<html>", "problem", "a proxy answers"],
    [502, "", "problem", "can't reach the server behind it"],
    [200, "<html>", "problem", "is not appvars"],
    [404, '{"message":"Not found"}', "problem", "is not appvars"],
    [429, '{"message":"Too many"}', "ok", "answers, with 429"],
    [301, "", "problem", "redirects to nowhere"],
  ])("that answers %i %s", (status, body, verdict, message) => {
    expect(check(answer(status, {}, body))).toMatchObject({ verdict, message: expect.stringContaining(message) });
  });

  it.each([
    ["ECONNREFUSED", "start the server"],
    ["ENOTFOUND", "correct the host"],
    ["EAI_AGAIN", "connect this machine"],
    ["ETIMEDOUT", "firewall"],
    ["ECONNRESET", "correct the URL"],
  ])("that does not answer: %s", (code, fix) => {
    const expected = { verdict: "problem", code: "unreachable", fix: expect.stringContaining(fix) };
    expect(check(failure(code))).toMatchObject(expected);
  });

  it.each([
    ["http://a:1", "use https://a:1"],
    ["https://a:1", "use http://a:1"],
    ["https://a", "use http://a:443"],
    ["http://[::1]", "use https://[::1]:80"],
  ])("that speaks the other scheme than %s", (url, fix) => {
    expect(check(failure("EPROTO"), url, true)).toMatchObject({ verdict: "problem", fix });
  });
});

describe("credentials", () => {
  const yes = answer(200, {}, '{"metadata":{"limit":1,"offset":0,"total":7},"data":[]}');
  const no = answer(401);
  const check = (trials: object | undefined, others = {}) =>
    checkCredentials({ hasKey: true, hasSecret: true, needsKey: false, trials: trials as never, ...others });

  it.each([
    ["right", { asSent: yes }, "ok", "7 variables"],
    ["right, but for the clock", { asSent: no, onServersTime: yes }, "ok", "see clock"],
    ["a wrong key", { asSent: no, onServersTime: no, withoutKey: yes }, "problem", "key is wrong"],
    ["a wrong secret", { asSent: no, onServersTime: no, withoutKey: no }, "problem", "secret is wrong"],
    [
      "one of both",
      { asSent: no, onServersTime: no, withoutKey: answer(429) },
      "problem",
      "key or the secret is wrong",
    ],
    ["not known at 429", { asSent: answer(429) }, "skipped", "see rate_limit"],
    ["not known without a server", undefined, "skipped", "see reachability"],
  ])("are %s", (_what, trials, verdict, message) => {
    expect(check(trials)).toMatchObject({ verdict, message: expect.stringContaining(message) });
  });

  it("are missing", () => {
    expect(check(undefined, { hasSecret: false })).toMatchObject({ code: "unauthorized" });
    expect(check(undefined, { hasKey: false, needsKey: true })).toMatchObject({ code: "unauthorized" });
  });

  it("are a secret alone that is wrong", () => {
    const trials = { asSent: no, onServersTime: no };
    expect(check(trials, { hasKey: false }).message).toBe("the API secret is wrong: it is refused");
  });

  it("are taken as a signature alone when a proxy drops a header", () => {
    const finding = check({ asSent: no, onServersTime: yes }, { needsKey: true });
    expect(finding).toMatchObject({ verdict: "problem", fix: "use --auth hmac" });
  });

  it.each([
    [answer(500), "server_error"],
    [answer(200, {}, "<html>"), "server_error"],
    [failure("ECONNRESET"), "unreachable"],
  ])("can't be judged by %o", (asSent, code) => {
    expect(check({ asSent })).toMatchObject({ verdict: "problem", code });
  });
});

describe("file modes", () => {
  it("are told of one by one when they are loose, each with the command that mends it", () => {
    const findings = checkFileModes([
      { path: "/a b/secret", loose: "0644", isFolder: false },
      { path: "/fine", loose: undefined, isFolder: false },
      { path: "/config", loose: "0755", isFolder: true },
    ]);
    expect(findings).toMatchObject([
      { verdict: "warning", message: "others have rights to /a b/secret (mode 0644)", fix: "chmod 600 '/a b/secret'" },
      { verdict: "warning", fix: "chmod 700 /config" },
    ]);
  });
});
