import { execFileSync, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serializeData } from "../../../../src/store/bytes/data-text.js";
import type { Data } from "../../../../src/store/data.js";
import { parseData } from "../../../../src/store/schema/parse-data.js";
import { BINARY } from "../../../support/binary.js";
import {
  applyChange,
  type Branch,
  contentOf,
  KEYS,
  openSealed,
  overlap,
  randomRound,
  sealedBranches,
  secretsOf,
} from "../../../support/branches.js";
import { runCli } from "../../../support/cli.js";
import { needs } from "../../../support/needed-program.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

// MERGE_ROUNDS=1000 npx vitest run --project e2e test/e2e/cli/commands/merge.test.ts
const ROUNDS = Number(process.env["MERGE_ROUNDS"] ?? 20);

/** A repository with a data file that is merged by appvars. */
async function repository() {
  const cwd = await temporaryFolder();
  const path = join(cwd, "vars.json");
  const env = {
    PATH: process.env["PATH"],
    HOME: cwd,
    ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_NAME: "ana", GIT_AUTHOR_EMAIL: "ana@vars.example" },
    ...{ GIT_COMMITTER_NAME: "ana", GIT_COMMITTER_EMAIL: "ana@vars.example" },
  };
  const options = { cwd, env, encoding: "utf8" } as const;
  const git = (...args: string[]) => execFileSync("git", args, options);
  git("init", "-q", "-b", "main");
  git("config", "merge.appvars.driver", `'${process.execPath}' '${BINARY}' merge %O %A %B %P`);
  await writeFile(join(cwd, ".gitattributes"), "/vars.json merge=appvars diff=appvars\n");
  const read = async () => parseData(await readFile(path), (content) => content);
  const commit = async (data: Data) => {
    await writeFile(path, Buffer.concat([...serializeData(data)]), { mode: 0o600 });
    git("add", "-A");
    git("commit", "-q", "--allow-empty", "-m", "a change");
  };
  const run = async (command: string) => {
    expect(await runCli([...command.split(" "), "--data", path])).toMatchObject({ code: 0 });
    git("add", "-A", ".gitattributes", "vars.json");
    git("commit", "-q", "-m", command);
  };
  return {
    cwd,
    path,
    git,
    read,
    commit,
    run,
    merge: (name: string) => spawnSync("git", ["merge", "-q", name], options),
  };
}

describe("git with appvars merge", needs("git"), () => {
  it.each(["plain", "sealed, with the key", "sealed, without the key"])(
    `merges random branches as if the changes were made one after the other, or reports a conflict: ${ROUNDS} rounds, %s`,
    { timeout: 1_800_000 },
    async (form) => {
      const { cwd, git, read, commit, merge } = await repository();
      await writeFile(join(cwd, ".gitignore"), "/vars.json.key\n");
      if (form === "sealed, with the key")
        await writeFile(join(cwd, "vars.json.key"), KEYS, { mode: 0o600 });
      const isPlain = form === "plain";
      const needsKey = form === "sealed, without the key";
      let clean = 0;
      for (let seed = 1; seed <= ROUNDS; seed++) {
        const [count, isApart] = [seed % 4 < 3 ? 200 : 20, seed % 4 < 2];
        const { base, ours, theirs } = randomRound(seed, count, isApart);
        const sides = [base, ours.data, theirs.data] as const;
        const files = (isPlain ? sides : sealedBranches(...sides)) as [Data, Data, Data];
        await commit(files[0]);
        git("checkout", "-q", "-B", "theirs");
        await commit(files[2]);
        git("checkout", "-q", "main");
        await commit(files[1]);
        const { status, stdout, stderr } = merge("theirs");
        const both: Branch = { data: ours.data, names: new Map(ours.names) };
        for (const change of theirs.changes) applyChange(both, change);
        const content = await read();
        const merged = isPlain ? content : openSealed(content);
        if (status === 0) {
          clean++;
          expect([seed, contentOf(merged)]).toEqual([seed, contentOf(both.data)]);
        } else {
          expect([seed, needsKey || overlap(ours.changes, theirs.changes).size > 0]).toEqual([
            seed,
            true,
          ]);
          expect([status, stdout]).toEqual([
            1,
            expect.stringContaining("CONFLICT (content): Merge conflict in vars.json"),
          ]);
          if (stderr.includes("vars.json can't be merged")) {
            expect([needsKey, stderr]).toEqual([
              true,
              expect.stringContaining("the seal key is needed (set APPVARS_SEAL_KEY)"),
            ]);
            expect(content).toEqual(files[1]);
          }
          expect(git("diff", "--name-only", "--diff-filter=U")).toBe("vars.json\n");
          git("merge", "--abort");
        }
      }
      expect(clean).toBeGreaterThanOrEqual(needsKey ? 1 : ROUNDS / 2);
    },
  );

  it("log -p and diff show names, without the key, and neither secrets nor ciphertext", async () => {
    const { git, commit } = await repository();
    git("config", "diff.appvars.textconv", `'${process.execPath}' '${BINARY}' diff`);
    const { base, ours } = randomRound(1, 20, true);
    const [sealed = base, changed = base] = sealedBranches(base, ours.data);
    await commit(sealed);
    await commit(changed);
    const log = git("log", "-p");
    expect(log).not.toMatch(/appvars:sealed|[\w-]{41}/);
    const later = secretsOf(ours.data);
    const secrets = [...secretsOf(base)].filter(
      ([name, secret]) => typeof secret === "string" && later.has(name),
    );
    expect(secrets.length).toBeGreaterThan(10);
    for (const [name, secret] of secrets)
      expect([name, log.includes(String(secret))]).toEqual([name, false]);
    const shown = git("diff", "HEAD~")
      .split("\n")
      .filter((line) => /^[+-]\w/.test(line));
    const [before, after] = [secretsOf(sealed), secretsOf(changed)];
    for (const [name, text] of after) {
      const [place = "", variable = ""] = name.split(" ");
      if (name.split(" ").length !== 2 || before.get(name) === text) continue;
      const line = `+${place.split("/")[0]}/${variable} in ${place} (secret `;
      expect([name, shown.some((each) => each.startsWith(line))]).toEqual([name, true]);
    }
    expect(shown.length).toBeGreaterThan(10);
  });

  it("rebases and cherry-picks variables that both branches have added", async () => {
    const { git, path, run } = await repository();
    await run("init --example --bare");
    git("checkout", "-q", "-b", "feature");
    await run("set THEIRS 1 --env test");
    await run("rename THEIRS RENAMED");
    await run("set RENAMED 2 --env production --type string");
    git("checkout", "-q", "main");
    await run("set OURS 1 --env test");
    await run("rename PORT LISTEN");
    git("checkout", "-q", "feature");
    await run("set PORT 4000 --env test");
    git("rebase", "-q", "main");
    git("checkout", "-q", "-b", "release", "main");
    git("cherry-pick", "feature~3", "feature");
    for (const [branch, names] of [
      ["feature", "DATABASE_URL LISTEN DEBUG FLAGS OURS RENAMED"],
      ["release", "DATABASE_URL LISTEN DEBUG FLAGS OURS THEIRS"],
    ] as const) {
      git("checkout", "-q", branch);
      const list = await runCli(["list", "--values", "--json", "--data", path, "--env", "test"]);
      const variables: { name: string; value: unknown }[] = JSON.parse(list.stdout);
      expect(variables.map(({ name }) => name).join(" ")).toBe(names);
      expect(variables.find(({ name }) => name === "LISTEN")?.value).toBe(4000);
    }
  });

  it("merges a file that both branches have created, and reports one that is broken", async () => {
    const { git, path, run, merge, read } = await repository();
    git("add", "-A");
    git("commit", "-q", "-m", "first");
    git("branch", "theirs");
    await run("init --bare");
    await run("set A 1 --env test");
    git("checkout", "-q", "theirs");
    await run("init --bare");
    await run("set B 1 --env test");
    git("checkout", "-q", "main");
    // Each has environments of its own by the same names.
    expect(merge("theirs")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("vars.json keeps our version of the conflicting changes"),
      stdout: expect.stringContaining("environment default/test\tcredentials: changed by both"),
    });
    expect((await read()).variables.map(({ name }) => name)).toEqual(["A", "B"]);
    git("merge", "--abort");
    git("checkout", "-q", "theirs");
    await writeFile(path, "{");
    git("commit", "-q", "-am", "broken");
    git("checkout", "-q", "main");
    const before = await readFile(path, "utf8");
    expect(merge("theirs")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("appvars: vars.json (theirs) is not valid JSON"),
    });
    expect(await readFile(path, "utf8")).toBe(before);
  });

  it("init --git in a subfolder makes git use it, and ignore the files beside the data file", async () => {
    const { cwd, git } = await repository();
    const folder = join(cwd, "a b");
    execFileSync("mkdir", [folder]);
    for (const name of ["vars [1].json", "é.json"]) {
      expect(await runCli(["init", "--git", "--bare", "--data", join(folder, name)])).toMatchObject(
        { code: 0 },
      );
      expect(git("check-attr", "-z", "merge", "--", `a b/${name}`)).toContain("appvars");
      for (const end of ["key", "lock", "history.jsonl"])
        expect(git("check-ignore", `a b/${name}.${end}`)).not.toBe("");
      expect(spawnSync("git", ["check-ignore", `a b/${name}`], { cwd }).status).toBe(1);
    }
  });
});
