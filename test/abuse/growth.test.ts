import { expect, it } from "vitest";
import { readDotenv } from "../../src/formats/dotenv.js";
import { EXPORT_FORMATS, IMPORT_FORMATS, READERS, WRITERS } from "../../src/formats/formats.js";
import { DOTENV_PROGRAMS } from "../../src/formats/reader.js";
import { UsageError } from "../../src/kit/text/errors.js";
import type { NamedValue } from "../../src/model/variable.js";
import type { Data } from "../../src/store/data.js";
import { mergeData } from "../../src/store/edits/merge-data.js";
import { cellText } from "../../src/tui/text/line.js";
import { openTui, SHOP } from "../tui/support/tui.js";

/** Texts of every kind of quoting that dotenv has a form for. */
const TEXTS = ["plain", "two words", "it's", 'say "hi"', "C:\\dir\\", "a # b", "", "$HOME"];

function manyEntries(count: number): NamedValue[] {
  return Array.from({ length: count }, (_, index) => {
    return {
      name: `VARIABLE_${index}`,
      type: "STRING",
      value: TEXTS[index % TEXTS.length] + String(index),
    };
  });
}

/** CPU time in microseconds, which other programs on the machine do not change. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return timeSince(before);
}

function timeSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * Five times the entries may take nine times as long: a search through all entries for each would
 * take 25 times.
 */
async function expectLinear(work: (count: number) => unknown): Promise<void> {
  const time = async (count: number) => {
    const before = process.cpuUsage();
    await work(count);
    return timeSince(before);
  };
  await time(1_000);
  const few = await time(6_000);
  expect(await time(30_000)).toBeLessThan(9 * Math.max(few, 100_000));
}

it.each(EXPORT_FORMATS)(
  "the time for writing %s grows no faster than the entries",
  async (format) => {
    const write = await WRITERS[format]();
    const entries = manyEntries(30_000);
    await expectLinear((count) => write(entries.slice(0, count)));
  },
);

it.each(IMPORT_FORMATS)(
  "the time for reading %s grows no faster than the entries",
  async (format) => {
    const [write, read] = await Promise.all([WRITERS[format](), READERS[format]()]);
    const entries = manyEntries(30_000);
    const texts = new Map(
      [1_000, 6_000, 30_000].map((count) => [count, write(entries.slice(0, count))]),
    );
    await expectLinear((count) => {
      const last = read(texts.get(count) ?? "").at(-1);
      expect(last).toEqual({ name: `VARIABLE_${count - 1}`, value: entries[count - 1]?.value });
    });
  },
);

/** What a person could have broken, or an attacker would write, repeated. */
const HOSTILE_TEXTS = {
  "unterminated quotes": (count: number) => "A='x\nB=\"y\nC=`z\n".repeat(count),
  "a value without an end": (count: number) => `A="${'x \\" '.repeat(10 * count)}`,
  "blank lines": (count: number) => `${"\n".repeat(20 * count)}A=1${"\n".repeat(20 * count)}B`,
  comments: (count: number) =>
    `${"#\n".repeat(5 * count)}A='${"# appvars type: A STRING\n".repeat(count)}'`,
  "references without an end": (count: number) => `A="${"-${".repeat(10 * count)}-:"`,
  backslashes: (count: number) => `A="${"\\".repeat(20 * count)}"`,
};

it.each(
  [undefined, ...DOTENV_PROGRAMS].flatMap((program) =>
    Object.entries(HOSTILE_TEXTS).map(([kind, text]) => ({
      program,
      reader: program ?? "dotenv",
      kind,
      text,
    })),
  ),
)(
  "the time for reading $kind as $reader does grows no faster than the text",
  async ({ program, text }) => {
    await expectLinear((count) => {
      try {
        readDotenv(text(count), { program });
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
    });
  },
);

it("the time for a merge grows no faster than the variables that were renamed", async () => {
  const [environment] = SHOP.environments;
  const { application = "", id: environment_id = 0 } = environment ?? {};
  const branch = (start: string, count: number): Data => {
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    const named = (id: number) => ({
      id,
      application,
      type: "STRING" as const,
      name: start + id,
      description: start,
    });
    const valueRecord = (id: number) => ({
      id,
      variable_id: id,
      environment_id,
      content: { value: `value ${id}` },
    });
    return { ...SHOP, variables: ids.map(named), values: ids.map(valueRecord) };
  };
  await expectLinear(async (count) => {
    const [base, theirs] = [branch("OLD_", count), branch("NEW_", count)];
    expect(await mergeData(base, base, theirs)).toMatchObject({
      conflicts: [],
      data: { variables: theirs.variables },
    });
  });
});

it("a value of a megabyte is cut without reading to its end", () => {
  const text = `${"日".repeat(1_000_000)}\u001b`;
  const cut = () => {
    for (let count = 0; count < 100; count++) expect(cellText(text, 7)).toBe("日日日…");
  };
  expect(processorTime(cut)).toBeLessThan(2_000_000);
});

it("a review of a change of a megabyte is drawn again at once", async () => {
  const long = (text: string) =>
    Array.from({ length: 50_000 }, (_, index) => `${text} ${index} of many`).join("\n");
  const values = [{ id: 1, variable_id: 1, environment_id: 1, content: { value: long("before") } }];
  const tui = await openTui({ data: { ...SHOP, values } });
  tui.press("e", "home", "ctrl-k");
  tui.paste(long("after"));
  tui.press("ctrl-s");
  await tui.until(() => tui.state.pending === undefined);
  const draw = (key: string) =>
    processorTime(() => {
      tui.press(key);
      tui.frame();
    });
  draw("v");
  draw("v");
  const again = ["j", "j", "j", "j", "j"].map(draw).sort((a, b) => a - b);
  expect(again[2]).toBeLessThan(100_000);
});
