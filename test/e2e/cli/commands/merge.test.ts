import { execFileSync, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Data } from "../../../../src/store/data.js";
import { dataPieces } from "../../../../src/store/data-file.js";
import { parseData } from "../../../../src/store/parse-data.js";
import { BINARY } from "../../../support/binary.js";
import { applyChange, type Branch, contentOf, overlap, randomRound } from "../../../support/branches.js";
import { runCli } from "../../../support/cli.js";
import { needs } from "../../../support/needed-program.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const ROUNDS = Number(process.env["MERGE_ROUNDS"] ?? 40);

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
  const read = async () => parseData(await readFile(path));
  const commit = async (data: Data) => {
    await writeFile(path, Buffer.concat([...dataPieces(data)]), { mode: 0o600 });
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
  it(`merges random branches as if the changes were made one after the other, or reports a conflict: ${ROUNDS} rounds`, {
    timeout: 1_200_000,
  }, async () => {
    const { git, read, commit, merge } = await repository();
    let clean = 0;
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const [count, isApart] = [seed % 4 < 3 ? 200 : 20, seed % 4 < 2];
      const { base, ours, theirs } = randomRound(seed, count, isApart);
      await commit(base);
      git("checkout", "-q", "-B", "theirs");
      await commit(theirs.data);
      git("checkout", "-q", "main");
      await commit(ours.data);
      const { status, stdout } = merge("theirs");
      const both: Branch = { data: ours.data, names: new Map(ours.names) };
      for (const change of theirs.changes) applyChange(both, change);
      const merged = await read();
      if (status === 0) {
        clean++;
        expect([seed, contentOf(merged)]).toEqual([seed, contentOf(both.data)]);
      } else {
        expect([seed, overlap(ours.changes, theirs.changes).size > 0]).toEqual([seed, true]);
        expect([status, stdout]).toEqual([
          1,
          expect.stringContaining("CONFLICT (content): Merge conflict in vars.json"),
        ]);
        expect(git("diff", "--name-only", "--diff-filter=U")).toBe("vars.json\n");
        git("merge", "--abort");
      }
    }
    expect(clean).toBeGreaterThanOrEqual(ROUNDS / 2);
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
      stderr: expect.stringContaining("vars.json (ours) keeps its own where both have changed the same"),
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
      expect(await runCli(["init", "--git", "--bare", "--data", join(folder, name)])).toMatchObject({ code: 0 });
      expect(git("check-attr", "-z", "merge", "--", `a b/${name}`)).toContain("appvars");
      for (const end of ["key", "lock", "history.jsonl"])
        expect(git("check-ignore", `a b/${name}.${end}`)).not.toBe("");
      expect(spawnSync("git", ["check-ignore", `a b/${name}`], { cwd }).status).toBe(1);
    }
  });
});
