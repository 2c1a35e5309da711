import { describe, expect, it } from "vitest";
import { InvalidDataError } from "../../../src/kit/text/errors.js";
import { serializeData } from "../../../src/store/bytes/data-text.js";
import { parseInThread } from "../../../src/store/bytes/parse-in-thread.js";
import { type Data, revisionOf } from "../../../src/store/data.js";
import { bigData } from "../../support/big-data.mjs";

const bytesOf = (data: Data) => Buffer.concat([...serializeData(data)]);

describe("parseInThread()", () => {
  const data = bigData(5_000);

  it.each([
    ["in this thread", bigData(10)],
    ["in another thread", data],
  ])("parses data %s", async (_where, parsed) => {
    const read = await parseInThread(bytesOf(parsed), new AbortController().signal);
    expect(read).toStrictEqual(parsed);
    for (const environment of parsed.environments)
      expect(revisionOf(read, environment)).toBe(revisionOf(parsed, environment));
  });

  it.each([
    [
      "data that breaks a rule",
      bytesOf({ ...data, variables: [] }),
      "there is no variable with the id",
    ],
    ["text that is not JSON", `${bytesOf(data)}]`, "is not valid JSON: line"],
    ["bytes that are not UTF-8", Buffer.alloc(300_000, 0xff), "is not valid UTF-8"],
  ])("refuses %s in another thread", async (_what, content, message) => {
    const parsing = parseInThread(Buffer.from(content), new AbortController().signal);
    await expect(parsing).rejects.toThrow(InvalidDataError);
    await expect(parsing).rejects.toThrow(message);
  });

  it("stops on request", async () => {
    const controller = new AbortController();
    const parsing = parseInThread(bytesOf(data), controller.signal);
    controller.abort();
    await expect(parsing).rejects.toThrow("the thread that parses data ended");
  });
});
