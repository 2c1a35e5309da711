import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { checkDocument } from "../docs/check-document.js";
import { DOCUMENTS, REPOSITORY } from "../docs/documents.js";
import { parseDocument } from "../docs/parse-document.js";
import { needs } from "../support/needed-program.js";

// `UPDATE_DOCS=1 npx vitest run test/e2e/docs-blocks.test.ts` writes the output of the commands
// into the documents. Read the diff: it is the actual output, not the intended one.
const { UPDATE_DOCS: isUpdate = "", CI: isCi = "" } = process.env;
if (isUpdate && isCi) throw new Error("UPDATE_DOCS rewrites the documents: it is not for CI");

const RECIPE_LANGUAGES = [
  "go",
  "ini",
  "javascript",
  "makefile",
  "python",
  "terraform",
  "typescript",
];

const lacksCurl = spawnSync("curl", ["--version"]).error !== undefined;

describe.concurrent("console blocks", () => {
  for (const path of DOCUMENTS) {
    const uses = (program: string) => read(path).includes(`\n$ ${program} `);
    const options = {
      timeout: 120_000,
      ...(uses("etcd") && needs("etcd")),
      ...(uses("git") && needs("git")),
    };
    it.skipIf(lacksCurl && uses("curl"))(
      `in ${path} print the output in the document`,
      options,
      async () => {
        const { problems, rewritten } = await checkDocument(read(path));
        if (isUpdate) writeFileSync(join(REPOSITORY, path), rewritten);
        else expect(problems).toEqual([]);
      },
    );
  }
});

describe("the check of console blocks", () => {
  const console = (...lines: string[]) => ["```console", ...lines, "```", ""].join("\n");

  it.each([
    [
      "output and exit codes, across blocks",
      console("$ a=1; (exit 3)") + console("$ echo $? $a", "3 1"),
    ],
    ["stdout and stderr in their order", console("$ echo a; echo b >&2; echo c", "a", "b", "c")],
    [
      "a background command up to the lines it shows",
      console("$ (echo a; sleep 1000) &", "a", "$ kill $!"),
    ],
    [
      "a file shown before",
      `\`a.json\`:\n\n\`\`\`json\n{}\n\`\`\`\n${console("$ cat a.json", "{}")}`,
    ],
  ])("accepts %s", async (_what, markdown) => {
    expect((await checkDocument(markdown)).problems).toEqual([]);
  });

  it.each([
    ["other output", console("$ echo a", "b")],
    ["output that is not shown", console("$ echo a")],
    ["output that does not come", console("$ true", "a")],
    ["another number", console("$ echo 127.0.0.1:7401", "127.0.0.1:7400")],
  ])("rejects %s, and can correct it", async (_what, markdown) => {
    const { problems, rewritten } = await checkDocument(markdown);
    expect(problems).toHaveLength(1);
    expect((await checkDocument(rewritten)).problems).toEqual([]);
  });
});

describe.each(DOCUMENTS)("code blocks in %s", (path) => {
  const parts = parseDocument(read(path));
  const commands = parts.flatMap((part) => (part.kind === "command" ? [part.text] : []));
  const blocks = parts.filter((part) => part.kind === "code");

  it("are valid JSON, YAML and shell, and JavaScript that a command runs", () => {
    for (const { language, text, file = "no name", line } of blocks) {
      const place = `${path}:${line}`;
      if (language === "json") expect(problemsOf(JSON.parse(text)), place).toEqual([]);
      else if (language === "yaml")
        parseAllDocuments(text).map((document) => expect(document.errors, place).toEqual([]));
      else if (language === "sh") execFileSync("sh", ["-n"], { input: text });
      else if (language === "js") expect(commands.join("\n"), place).toContain(file);
      // The files of recipes.test.ts.
      else if (path === "docs/recipes.md" && file !== "no name")
        expect(RECIPE_LANGUAGES, place).toContain(language);
      else expect(language, place).toBe("text");
    }
  });
});

const ajv = new Ajv2020({ allowUnionTypes: true });
const isData = ajv.compile(JSON.parse(read("data/appvars.schema.json")));
const isUserSettings = ajv.compile(JSON.parse(read("data/appvars.user.schema.json")));
const isSettings = ajv.compile(JSON.parse(read("data/appvars.settings.schema.json")));

/** The problems of a data file or of settings; none with other JSON. */
function problemsOf(content: Record<string, unknown>): unknown[] {
  const isProject = String(content["$schema"]).endsWith("settings.schema.json");
  const check = [
    "environments" in content && isData,
    isProject && isSettings,
    "tui" in content && isUserSettings,
  ].find(Boolean);
  return !check || check(content) ? [] : (check.errors ?? []);
}

function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), "utf8");
}
