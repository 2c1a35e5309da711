import { unlink } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { InvalidDataError } from "../../../src/kit/text/errors.js";
import type { LocalServer } from "../../../src/library/local-server.js";
import { DATA, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { DEV_HEADERS, get } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";

const TARGET = "/v1/variables-values-by-name/DATABASE_URL/content";
const FIRST = { value: "postgres://localhost/dev" };
const SECOND = { value: "postgres://localhost/second" };
const CHANGED = edited((copy) => (copy.values[1].content = SECOND));

const STALE = "the data file could not be read again; the last good data is being served";

async function served() {
  const file = await dataFile(DATA);
  const onInternalError = vi.fn();
  return {
    file,
    onInternalError,
    server: await runningServer({ data: file.path, onInternalError }),
  };
}

const eventually = (probe: () => Promise<unknown>) => expect.poll(probe, { timeout: 10_000 });
const content = async (server: LocalServer) => (await get(server, TARGET)).json;
const health = async (server: LocalServer) => {
  const { status, json } = await get(server, "/healthz", {});
  return { status, message: (json as { message: string }).message };
};

describe("a data file that is edited while it is served", () => {
  it("is reloaded, and its answers have a new ETag", async () => {
    const { file, server } = await served();
    const { json, headers } = await get(server, TARGET);
    expect(json).toStrictEqual(FIRST);
    await file.write(CHANGED);
    await eventually(() => content(server)).toStrictEqual(SECOND);
    const answer = await get(server, TARGET, {
      ...DEV_HEADERS,
      "if-none-match": String(headers.etag),
    });
    expect(answer).toMatchObject({ status: 200, json: SECOND });
  });

  it("changes the credentials too", async () => {
    const { file, server } = await served();
    await file.write(edited((copy) => (copy.environments[0].api_secret = "new-secret")));
    await eventually(async () => (await get(server, TARGET)).status).toBe(401);
    const headers = { ...DEV_HEADERS, "x-api-secret": "new-secret" };
    expect(await get(server, TARGET, headers)).toMatchObject({ status: 200, json: FIRST });
  });

  it.each([
    {
      edit: "bad JSON",
      broken: JSON.stringify(CHANGED).replace('"value":3000', '"value":dev-secret'),
      message: /is not valid JSON: .*line 1/,
    },
    { edit: "nothing in it", broken: "", message: /is empty/ },
    { edit: "an unknown version", broken: { ...DATA, version: 2 }, message: /version/ },
    {
      edit: "a value of the wrong type",
      broken: edited((copy) => (copy.values[0].content.value = "dev-secret")),
      message: /values\[0\] \(id 12\).*NUMBER/,
    },
    {
      edit: "a key twice",
      broken: edited((copy) => (copy.environments[1].api_key = "dev-key")),
      message: /environments\[1\] \(id 2, "test"\).*api_key/,
    },
    {
      edit: "a bad name",
      broken: edited((copy) => (copy.variables[0].name = "dev-secret postgres://")),
      message: /variables\[0\] \(id 2\): name must be 1 to 255 letters/,
    },
  ])(
    "the last good data is served while the data file is broken ($edit), with 503 from /healthz until it is repaired",
    async (given) => {
      const { file, server, onInternalError } = await served();
      await file.write(given.broken);
      await eventually(() => health(server)).toEqual({ status: 503, message: STALE });
      await vi.waitFor(() => expect(onInternalError).toHaveBeenCalledOnce());
      const [error] = onInternalError.mock.calls[0] ?? [];
      expect(error).toBeInstanceOf(InvalidDataError);
      expect(error.message).toMatch(given.message);
      expect(error.message).not.toMatch(/-key\b|-secret|postgres|3000|not a prototype/);
      expect(await content(server)).toStrictEqual(FIRST);
      await file.write(CHANGED);
      await eventually(() => health(server)).toEqual({ status: 200, message: "OK" });
      expect(await content(server)).toStrictEqual(SECOND);
    },
  );

  it("the last good data is served while the data file is deleted, with 503 from /healthz until it is back", async () => {
    const { file, server } = await served();
    await unlink(file.path);
    await eventually(() => health(server)).toEqual({ status: 503, message: STALE });
    expect(await content(server)).toStrictEqual(FIRST);
    await file.write(CHANGED);
    await eventually(() => health(server)).toEqual({ status: 200, message: "OK" });
  });
});
