import { expect, it } from "vitest";
import { aVariable } from "../support/records.js";
import { answerProblems } from "./answer-problems.js";

const BODY = aVariable({ id: 1, name: "A" });
const HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "ratelimit-limit": "7500",
  "ratelimit-remaining": "7499",
  "ratelimit-reset": "60",
  "cache-control": "no-store",
  etag: '"x"',
  "appvars-revision": "uWPVUCGB0OGHVI0t7vIDmo",
};
const RIGHT = { status: 200, headers: HEADERS, body: "", json: BODY };
const { etag: _etag, ...WITHOUT_ETAG } = HEADERS;

it("an answer that keeps the contract has no problems", () => {
  expect(answerProblems("getVariable", RIGHT)).toEqual([]);
});

it.each([
  [
    "a field too many",
    { json: { ...BODY, secret: 1 } },
    /^body must NOT have additional .*"secret"/,
  ],
  [
    "a missing field",
    { json: { id: 1, type: "STRING", name: "A" } },
    /^body must have required property 'description'/,
  ],
  ["a wrong type", { json: { ...BODY, id: "1" } }, /^body\/id must be integer/],
  ["a wrong value", { json: { ...BODY, type: "DATE" } }, /^body\/type must be equal to one of/],
  ["a missing header", { headers: WITHOUT_ETAG }, /^header etag is missing/],
  [
    "a wrong header",
    { headers: { ...HEADERS, "ratelimit-reset": "soon" } },
    /^header ratelimit-reset must be integer/,
  ],
  [
    "a wrong constant",
    { headers: { ...HEADERS, "cache-control": "public" } },
    /^header cache-control must be equal/,
  ],
  [
    "an undescribed header",
    { headers: { ...HEADERS, "x-powered-by": "us" } },
    /^header x-powered-by is not described/,
  ],
  [
    "a wrong media type",
    { headers: { ...HEADERS, "content-type": "text/html" } },
    /^media type text\/html is not/,
  ],
  ["an undescribed status", { status: 203 }, /^status 203 is not described/],
])("an answer with %s has that one problem", (_title, change, problem) => {
  expect(answerProblems("getVariable", { ...RIGHT, ...change })).toEqual([
    expect.stringMatching(problem),
  ]);
});

it("an answer to HEAD has no body", () => {
  expect(answerProblems("headVariable", RIGHT)).toEqual(["a body that is not described"]);
});
