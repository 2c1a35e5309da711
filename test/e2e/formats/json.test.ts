import { it } from "vitest";
import { writeJson } from "../../../src/formats/json.js";
import { asJson, expectSame, fileWith, has, output, table } from "../../formats/consumers.js";
import { hasLoneSurrogate } from "../../formats/nasty-values.js";

it.skipIf(!has("jq", "--version"))(
  "jq preserves every value that UTF-8 can hold (skipped without jq)",
  async () => {
    // jq 1.6 prints numbers with 17 digits.
    const { held } = table((text) => !hasLoneSurrogate(text));
    const texts = held.filter(({ value }) => typeof value !== "number");
    const file = await fileWith("vars.json", writeJson(texts));
    expectSame(JSON.parse(await output("jq", ["-c", ".", file])), asJson(texts));
  },
);
