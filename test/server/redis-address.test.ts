import { expect, it } from "vitest";
import { UsageError } from "../../src/kit/text/errors.js";
import { parseRedisUrl } from "../../src/server/redis-address.js";

it.each([
  [
    "redis://127.0.0.1",
    { host: "127.0.0.1", port: 6379, db: 0, isTls: false, url: "redis://127.0.0.1:6379/0" },
  ],
  ["rediss://Redis.Example:6380/", { host: "redis.example", port: 6380, isTls: true }],
  ["redis://[::1]:7000/12", { host: "::1", port: 7000, db: 12, url: "redis://[::1]:7000/12" }],
  ["redis://:hunter2@h/1", { username: undefined, password: "hunter2", url: "redis://h:6379/1" }],
  [
    "redis://appvars:p%40%3A%2f%25@h",
    { username: "appvars", password: "p@:/%", url: "redis://h:6379/0" },
  ],
  ["redis://appvars:a:b@h", { username: "appvars", password: "a:b" }],
])("the URL of a Redis is parsed: %s", (url, expected) => {
  expect(parseRedisUrl(url, "--rate-limit-store")).toMatchObject(expected);
});

const FORM = "VARIABLE must be like redis://host:6379/0, or rediss:// for TLS";

it.each([
  ["", FORM],
  ["127.0.0.1:6379", FORM],
  ["http://hunter2", FORM],
  ["redis://", FORM],
  ["redis:///0", FORM],
  ["redis://h:0", FORM],
  ["redis://h:65536", FORM],
  ["redis://h/hunter2", FORM],
  ["redis://h/0?password=hunter2", FORM],
  ["redis://h/0#hunter2", FORM],
  ["redis://h,hunter2", FORM],
  ["redis://:hunter2/@h", FORM],
  ["redis://h\nunter2", FORM],
  ["redis://hunter2@h", "VARIABLE must have a password after the user, as in :password@host"],
  ["redis://appvars:@h", "VARIABLE must have a password after the user, as in :password@host"],
  [
    "redis://:hunter%2@h",
    "VARIABLE has a % in the user or password that is not percent-encoded as %25",
  ],
])("anything else is refused, without quoting it: %j", (url, message) => {
  expect(() => parseRedisUrl(url, "VARIABLE")).toThrow(new UsageError(message));
});
