import { describe, expect, it } from "vitest";
import { InvalidDataError } from "../../src/domain/errors.js";
import { EnvironmentView } from "../../src/service/environment-view.js";
import { serializeData } from "../../src/store/data-file.js";
import { packOnDemand } from "../../src/store/packed-data.js";
import { parseApart } from "../../src/store/parse-apart.js";
import { bigData } from "../support/big-data.mjs";

describe("parseApart()", () => {
  const data = bigData(5_000);

  it.each([
    ["in this thread", bigData(10)],
    ["in another thread", data],
  ])("parses data %s", async (_where, parsed) => {
    const packed = await parseApart(Buffer.from(serializeData(parsed)), new AbortController().signal);
    expect(packed.environments).toStrictEqual(parsed.environments);
    const [{ id, application } = { id: 0, application: "" }] = parsed.environments;
    const expected = packOnDemand(parsed);
    const [view, other] = [packed, expected].map(
      ({ variables, values }) => new EnvironmentView(variables(application), values(id)),
    );
    expect(view?.revision).toBe(other?.revision);
    expect(await view?.listValues({ limit: 1_000 })).toStrictEqual(await other?.listValues({ limit: 1_000 }));
  });

  it.each([
    ["data that breaks a rule", serializeData({ ...data, variables: [] }), "there is no variable with the id"],
    ["what is not JSON", `${serializeData(data)}]`, "is not valid JSON: line"],
    ["what is not UTF-8", Buffer.alloc(300_000, 0xff), "is not valid UTF-8"],
  ])("refuses %s in another thread", async (_what, content, message) => {
    const parsing = parseApart(Buffer.from(content), new AbortController().signal);
    await expect(parsing).rejects.toThrow(InvalidDataError);
    await expect(parsing).rejects.toThrow(message);
  });

  it("stops when it is told to", async () => {
    const controller = new AbortController();
    const parsing = parseApart(Buffer.from(serializeData(data)), controller.signal);
    controller.abort();
    await expect(parsing).rejects.toThrow("the thread that parses data ended");
  });
});
