import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findPlaces } from "../../../src/tui/adapters/find-places.js";
import { listFolder } from "../../../src/tui/adapters/import-export.js";
import type { OpenPlace, Place } from "../../../src/tui/state/ports.js";
import { aCaller } from "../../support/caller.js";
import { runWith } from "../../support/cli.js";
import { DATA, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** The open first environment of a data file, in a folder where files can be written. */
async function opened() {
  const file = await dataFile(DATA);
  const cwd = dirname(file.path);
  const { code: found } = await runWith(
    (io) => findPlaces({ data: file.path }, aCaller(io.surroundings)),
    { cwd },
  );
  onTestFinished(() => found.close());
  const [first] = found.places as [Place];
  const place: OpenPlace = await first.open(() => {});
  return { file, cwd, found, place };
}

it("an export writes a file that only the user can read, and replaces one only when asked to", async () => {
  const { cwd, place, file } = await opened();
  const named = { path: "out.json", format: undefined };
  const written = await place.exportFile(named, false);
  expect(written).toMatchObject({ notes: [] });
  const path = join(cwd, "out.json");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(path, "utf8"))).toHaveProperty("DATABASE_URL");
  await writeFile(path, "mine");
  expect(await place.exportFile(named, false)).toBeUndefined();
  expect(await readFile(path, "utf8")).toBe("mine");
  await place.exportFile({ path, format: "shell" }, true);
  expect(await readFile(path, "utf8")).toContain("export DATABASE_URL=");
  await file.write(
    edited((data) => {
      data.variables.push({ ...data.variables[0], id: 99, name: "PATH" });
      data.values.push({ ...data.values[0], id: 99, variable_id: 99 });
    }),
  );
  await expect
    .poll(() => place.exportFile({ path, format: "shell" }, true))
    .toMatchObject({
      notes: [expect.stringMatching(/^omitted reserved names: PATH/)],
    });
  await expect(place.exportFile({ path: file.path, format: undefined }, true)).rejects.toThrow(
    "the data file itself",
  );
  await expect(place.exportFile({ path: "none/x", format: undefined }, false)).rejects.toThrow(
    "can't be written",
  );
});

it("an export never replaces the data file, even one that was opened from the first screen", async () => {
  const { path } = await dataFile(DATA);
  const { code: found } = await runWith((io) => findPlaces({}, aCaller(io.surroundings)), {
    cwd: dirname(path),
  });
  onTestFinished(() => found.close());
  const opened = await (await found.welcome?.openData(path))?.place.open(() => {});
  await expect(opened?.exportFile({ path, format: undefined }, true)).rejects.toThrow(
    "the data file itself",
  );
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual(DATA);
});

it("an export of some variables contains only these, and says how many", async () => {
  const { cwd, place } = await opened();
  const named = { path: "some.json", format: undefined };
  const names = new Set(["PORT", "DEBUG", "UNSET"]);
  expect(await place.exportFile({ ...named, names }, false)).toEqual({ count: 2, notes: [] });
  expect(JSON.parse(await readFile(join(cwd, "some.json"), "utf8"))).toEqual({
    PORT: 3000,
    DEBUG: true,
  });
  const none = { ...named, names: new Set(["UNSET"]) };
  await expect(place.exportFile(none, true)).rejects.toThrow(
    "none of the marked variables has a value here",
  );
});

it("an import gives values the types of their variables, and notes unusual lines", async () => {
  const { cwd, place } = await opened();
  await writeFile(join(cwd, "new.env"), "PORT=4000\nNEW=$PORT\n");
  expect(await place.editor?.importFile({ path: "new.env", format: undefined })).toEqual({
    assignments: [
      { name: "PORT", type: "NUMBER", value: 4000, description: "" },
      { name: "NEW", type: "STRING", value: "$PORT", description: "" },
    ],
    notes: [expect.stringMatching(/^new\.env: .*NEW \(line 2\); import --expand replaces them$/)],
  });
  await writeFile(join(cwd, "vars.txt"), JSON.stringify({ PORT: 5000 }));
  const { assignments } =
    (await place.editor?.importFile({ path: "vars.txt", format: "json" })) ?? {};
  expect(assignments).toMatchObject([{ name: "PORT", value: 5000 }]);
  await writeFile(join(cwd, "bad.env"), "PORT=hunter2\n");
  const bad = place.editor?.importFile({ path: "bad.env", format: undefined });
  await expect(bad).rejects.toThrow(/^bad\.env: PORT: (?!.*hunter2)/);
  await expect(place.editor?.importFile({ path: "no.env", format: undefined })).rejects.toThrow(
    "no.env can't be read: no such file or folder",
  );
  await writeFile(join(cwd, "typed.json"), JSON.stringify({ PORT: "hunter2" }));
  const typed = place.editor?.importFile({ path: "typed.json", format: undefined });
  await expect(typed).rejects.toThrow("typed.json: the value of PORT is not a valid NUMBER");
  await writeFile(join(cwd, "empty.env"), "");
  await expect(place.editor?.importFile({ path: "empty.env", format: undefined })).rejects.toThrow(
    "contains no variables",
  );
});

it("a folder is listed with a slash after each folder, and as empty if it can't be read", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "config"));
  await writeFile(join(folder, ".env"), "");
  const io = { cwd: () => folder, env: { HOME: dirname(folder) } };
  expect(await listFolder("", io)).toEqual([".env", "config/"]);
  expect(await listFolder(`~/${folder.split("/").at(-1)}/`, io)).toEqual([".env", "config/"]);
  expect(await listFolder("none/", io)).toEqual([]);
});

it("environments that are added here or by another program are places until they are removed", async () => {
  const { file, found, place } = await opened();
  const names: string[] = [];
  let lost: readonly string[] = [];
  found.follow?.(({ added, gone }) => {
    names.push(...added.map(({ name }) => name));
    lost = gone.map(({ name }) => name);
  });
  const { apiSecret, lines, ...added } = (await place.editor?.addEnvironment("staging")) ?? {
    lines: [],
  };
  expect(added).toEqual({
    environment: "shop/staging",
    apiKey: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(lines.join("\n")).toContain(`APPVARS_API_SECRET=${apiSecret}`);
  await expect.poll(() => names).toEqual(["shop/staging"]);
  await expect(place.editor?.addEnvironment("staging")).rejects.toThrow("already exists");
  await file.write(
    edited((data) =>
      data.environments.push({
        ...data.environments[0],
        id: 99,
        name: "late",
        api_key: "k".repeat(32),
      }),
    ),
  );
  await expect.poll(() => names).toEqual(["shop/staging", "shop/late"]);
  expect(lost).toEqual(["shop/staging"]);
  await file.write(edited(() => {}));
  await expect.poll(() => lost).toEqual(["shop/staging", "shop/late"]);
});

it("rotating creates new credentials for the open environment, and keeps the old ones for a time if asked to", async () => {
  const { file, place } = await opened();
  const saved = async () => JSON.parse(await readFile(file.path, "utf8")).environments[0];
  const before = await saved();
  const rotated = await place.editor?.rotate("24h");
  expect(await saved()).toMatchObject({
    api_key: rotated?.apiKey,
    previous: [{ api_key: before.api_key }],
  });
  await place.editor?.rotate("");
  expect(await saved()).not.toHaveProperty("previous");
});
