import { describe, expect, it } from "vitest";
import { valueText } from "../../../src/domain/variable.js";
import { writeDotenv } from "../../../src/formats/dotenv.js";
import { asText, fileWith, has, output } from "../../formats/consumers.js";
import { ALL_VALUES, entriesOf } from "../../formats/nasty-values.js";

const all = entriesOf(ALL_VALUES);

function writable(text: string): boolean {
  try {
    writeDotenv(entriesOf([text]));
    return true;
  } catch {
    return false;
  }
}

const held = all.filter(({ value }) => writable(valueText(value)));
describe("writing", () => {
  it.skipIf(!has("sh", "-c", "exit 0"))(
    "a shell that sources it reads the same where one kind of quote is free of need",
    async () => {
      const easy = held.filter(({ value }) => !/['\r]/.test(valueText(value)));
      const file = await fileWith(".env", writeDotenv(easy));
      const script = `set -a; . "$0"; exec "$NODE" -e 'console.log(JSON.stringify(process.env))'`;
      const environment = JSON.parse(await output("sh", ["-c", script, file], { NODE: process.execPath }));
      expect(environment).toMatchObject(asText(easy));
    },
  );
});
