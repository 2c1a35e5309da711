import { chmod, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { decrypt, encrypt } from "../../../src/client/envelope.js";
import { ConcurrentChangeError } from "../../../src/model/errors.js";
import type {
  EnvironmentChanges,
  VariableChange,
  VariableState,
} from "../../../src/model/variable-change.js";
import type { Data } from "../../../src/store/data.js";
import { openDataAccess } from "../../../src/tasks/data/open-data.js";
import { watchData } from "../../../src/tui/adapters/open-place.js";
import { createEditor } from "../../../src/tui/adapters/variable-editor.js";
import type { Draft } from "../../../src/tui/state/ports.js";
import { aCaller } from "../../support/caller.js";
import { DATA, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";

const KEY = "the key";
const ENVELOPE = encrypt("hunter2", KEY);
const ENCRYPTED = edited((data) => (data.values[1].content.value = ENVELOPE));

const OURSELVES = aCaller();

const PORT: VariableState = { type: "NUMBER", description: "Where it listens", value: 3000 };
const DATABASE: VariableState = {
  type: "STRING",
  description: "Primary database",
  value: ENVELOPE,
};

/** An editor of shop/development in a data file. */
async function editing(content: unknown = DATA, key?: string) {
  const file = await dataFile(content);
  const { store, service, check } = await watchData(
    await openDataAccess({ kind: "file", path: file.path }, OURSELVES),
    OURSELVES.surroundings,
  );
  onTestFinished(() => store.close());
  const environment = service.findEnvironment("shop/development");
  const source = service.source(environment);
  const value = async (name: string) => (await source.getContentByName(name)).value;
  const onDisk = async (): Promise<Data> => JSON.parse(await readFile(file.path, "utf8"));
  const editor = createEditor({ name: file.path, store, check }, environment, key);
  const prepare = async (draft: Draft): Promise<Edit> => ({
    changes: (await editor.prepare(draft)).flatMap(({ changes }) => changes),
  });
  const apply = ({ changes }: Edit) => editor.apply([{ environment: "shop/development", changes }]);
  return { ...file, editor, prepare, apply, source, value, onDisk };
}

/** Changes in shop/development. */
interface Edit {
  readonly changes: readonly VariableChange[];
}

const portDraft = (draft: Partial<Draft> = {}): Draft => {
  return {
    name: "PORT",
    before: PORT,
    type: "NUMBER",
    value: "3000",
    description: PORT.description,
    schema: "",
    ...draft,
  };
};

const editOf = (
  name: string,
  before: VariableState | undefined,
  after: VariableState | undefined,
): Edit => {
  return { changes: [{ name, before, after }] };
};

const turned = ({ changes }: Edit): Edit => {
  return {
    changes: changes.map(({ name, before, after }) => ({ name, before: after, after: before })),
  };
};

describe("the form", () => {
  it("becomes an edit with a value of the type", async () => {
    const { prepare } = await editing();
    expect(await prepare(portDraft({ value: "8080" }))).toEqual(
      editOf("PORT", PORT, { ...PORT, value: 8080 }),
    );
  });

  it.each([
    ["NUMBER", " 8080\n", 8080],
    ["BOOLEAN", "\ttrue ", true],
    ["JSON", "\u00a0[1]\n", [1]],
    ["STRING", " a\n", " a\n"],
  ] as const)(
    "spaces and line breaks around a value matter only in a STRING, not in a %s",
    async (type, value, after) => {
      const { prepare } = await editing();
      const { changes } = await prepare(portDraft({ name: "NEW", before: undefined, type, value }));
      expect(changes[0]?.after?.value).toEqual(after);
    },
  );

  it.each([
    ["a value that is not of its type", { value: "hunter2" }, "a NUMBER must be a JSON number"],
    [
      "a name that can't be one",
      { name: "1 PORT", before: undefined },
      "a name is 1 to 255 letters",
    ],
    [
      "a name that a signature could be setElsewhere for another with",
      { name: "PORT99914b932bd37a50b983c5e7c90ae93b", before: undefined },
      "not ending in 99914b932bd37a50b983c5e7c90ae93b",
    ],
    [
      "a new variable that has a value already",
      { before: undefined },
      "PORT already exists: edit it instead",
    ],
    ["an empty value of another type than STRING", { value: "" }, "a NUMBER must be a JSON number"],
    [
      "a variable that is gone and gets no value",
      { name: "GONE", value: undefined },
      "GONE has been removed",
    ],
    [
      "a type that the value of another environment does not fit",
      {
        name: "DATABASE_URL",
        before: {
          type: "STRING",
          description: "Primary database",
          value: "postgres://localhost/dev",
        } as const,
      },
      "DATABASE_URL can't become a NUMBER: its value in another environment is not a NUMBER",
    ],
  ])("prepare refuses %s", async (_what, draft, message) => {
    const { prepare } = await editing();
    const refusal = await prepare(portDraft(draft)).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "usage", message: expect.stringContaining(message) });
    expect(String(refusal)).not.toContain("hunter2");
  });
});

it("prepare reports the field of an invalid new name", async () => {
  const { prepare } = await editing();
  await expect(prepare(portDraft({ newName: "1 PORT" }))).rejects.toMatchObject({ field: "name" });
});

describe("a variable with a schema", () => {
  const RULED: VariableState = { ...PORT, schema: { maximum: 9_000 } };
  const ruled = edited(({ variables, values }) => {
    variables[0].schema = { maximum: 9_000 };
    variables[1].schema = { maxLength: 7 };
    values[1].content.value = ENVELOPE;
  });

  it("refuses a value that breaks it", async () => {
    const { prepare, apply, value } = await editing(ruled);
    const refusal = "refused by the schema: PORT must be <= 9000";
    await expect(
      prepare(portDraft({ before: RULED, value: "9999", schema: '{"maximum":9000}' })),
    ).rejects.toThrow(refusal);
    await apply(
      await prepare(portDraft({ before: RULED, value: "8080", schema: '{"maximum":9000}' })),
    );
    expect(await value("PORT")).toBe(8080);
  });

  it("refuses to restore a value that breaks it, as undo and rollback would", async () => {
    const { editor, value } = await editing(ruled);
    const changes = [{ name: "PORT", before: RULED, after: { ...RULED, value: 9_999 } }];
    await expect(
      editor.apply([{ environment: "shop/development", changes }], "undo"),
    ).rejects.toThrow("refused by the schema: PORT must be <= 9000");
    expect(await value("PORT")).toBe(3000);
  });

  it("is checked before a value is encrypted", async () => {
    const { prepare } = await editing(ruled, KEY);
    const schema = { maxLength: 7 };
    const draft = {
      name: "DATABASE_URL",
      before: { ...DATABASE, schema, value: "hunter2" },
      type: DATABASE.type,
    };
    const preparing = prepare({
      ...draft,
      description: DATABASE.description,
      value: "hunter22",
      schema: JSON.stringify(schema),
    });
    await expect(preparing).rejects.toThrow("DATABASE_URL must NOT have more than 7 characters");
  });

  it("keeps it and its other rules in an edit", async () => {
    const rules = { optional: true, secret: false, schema: { minimum: 1 } };
    const { prepare, apply, onDisk } = await editing(
      edited((data) => Object.assign(data.variables[0], rules)),
    );
    // The state that the form knows, so that the variable does not count as changed in the
    // meantime.
    const before: VariableState = { ...PORT, ...rules };
    const form = { ...rules, schema: '{"minimum":1}' };
    const edit = await prepare(portDraft({ before, value: "1", description: "new", ...form }));
    expect(edit.changes[0]?.before).toStrictEqual(before);
    await apply(edit);
    expect((await onDisk()).variables.find(({ name }) => name === "PORT")).toMatchObject({
      ...rules,
      description: "new",
    });
    await apply(turned(edit));
    expect((await onDisk()).variables.find(({ name }) => name === "PORT")).toMatchObject({
      ...rules,
      description: PORT.description,
    });
  });
});

describe("the form of a variable that another program has changed in the meantime", () => {
  const OLD: VariableState = { type: "STRING", description: "old", value: "1" };
  const draft = { before: OLD, type: OLD.type, description: OLD.description, value: "1" };

  it.each([
    ["the value", { value: "2", type: "NUMBER" } as const, { ...PORT, value: 2 }],
    ["the description", { description: "new" }, { ...PORT, description: "new" }],
  ])("prepare changes only the edited fields: %s", async (_field, edits, after) => {
    const { prepare } = await editing();
    expect(await prepare(portDraft({ ...draft, ...edits }))).toEqual(editOf("PORT", PORT, after));
  });

  it("changes nothing if nothing was edited, with or without a value", async () => {
    const { prepare } = await editing();
    expect(await prepare(portDraft(draft))).toEqual({ changes: [] });
    const before = { ...OLD, value: undefined };
    expect(await prepare(portDraft({ ...draft, before, value: undefined }))).toEqual({
      changes: [],
    });
  });

  it("uses the current values that a refused edit has found", async () => {
    const { prepare, apply, write } = await editing();
    const edit = await prepare(portDraft({ value: "2" }));
    await write(setPort(DATA, { content: { value: 1 } }));
    await expect(apply(edit)).rejects.toThrow(ConcurrentChangeError);
    expect(await prepare(portDraft({ value: "2" }))).toEqual(
      editOf("PORT", { ...PORT, value: 1 }, { ...PORT, value: 2 }),
    );
  });

  it("adds a variable again that was removed", async () => {
    const { prepare } = await editing();
    const edit = editOf("GONE", undefined, { ...PORT, value: 1 });
    expect(await prepare(portDraft({ name: "GONE", value: "1" }))).toEqual(edit);
  });
});

describe("encrypted values", () => {
  const draft: Draft = {
    ...portDraft(),
    name: "DATABASE_URL",
    before: DATABASE,
    type: "STRING",
    value: "changed",
  };

  it("are replaced by encrypted values", async () => {
    const { prepare, apply, value } = await editing(ENCRYPTED, KEY);
    await apply(await prepare(draft));
    expect(decrypt(String(await value("DATABASE_URL")), KEY)).toBe("changed");
  });

  it("stay as they are when only the description changes", async () => {
    const { prepare } = await editing(ENCRYPTED, KEY);
    const kept = { changes: [{ after: { value: ENVELOPE, description: "new" } }] };
    expect(await prepare({ ...draft, value: "hunter2", description: "new" })).toMatchObject(kept);
    const withoutKey = await editing(ENCRYPTED);
    expect(
      await withoutKey.prepare({ ...draft, value: ENVELOPE, description: "new" }),
    ).toMatchObject(kept);
    expect(
      await withoutKey.prepare({ ...draft, value: undefined, description: "new" }),
    ).toMatchObject(kept);
  });

  it.each([
    [
      "without a key",
      undefined,
      "DATABASE_URL is encrypted here: to change it, set APPVARS_ENC_KEY",
    ],
    ["with another key", "another", "DATABASE_URL can't be decrypted: the key is wrong"],
  ])("prepare refuses to change an encrypted value %s", async (_what, key, message) => {
    const { prepare } = await editing(ENCRYPTED, key);
    await expect(prepare(draft)).rejects.toThrow(message);
  });

  it.each([
    ["removed", edited((data) => data.values.splice(1, 1))],
    ["replaced by a plain one", DATA],
  ])(
    "the new value is encrypted although another program has %s the old one",
    async (_what, content) => {
      const { prepare, apply, value } = await editing(content, KEY);
      await apply(await prepare(draft));
      expect(decrypt(String(await value("DATABASE_URL")), KEY)).toBe("changed");
      const withoutKey = await editing(content);
      await expect(withoutKey.prepare(draft)).rejects.toThrow("DATABASE_URL is encrypted");
    },
  );

  it("are never replaced by plain values", async () => {
    const { apply, value } = await editing(ENCRYPTED, KEY);
    const plain = editOf("DATABASE_URL", DATABASE, { ...DATABASE, value: "hunter2" });
    await expect(apply(plain)).rejects.toThrow("DATABASE_URL is encrypted here");
    expect(await value("DATABASE_URL")).toBe(ENVELOPE);
  });
});

describe("edits", () => {
  it("are in the file and in the open store", async () => {
    const { apply, value, onDisk } = await editing();
    await apply(editOf("PORT", PORT, { ...PORT, value: 8080 }));
    expect(await value("PORT")).toBe(8080);
    expect((await onDisk()).values).toContainEqual(
      expect.objectContaining({ id: 12, content: { value: 8080 } }),
    );
  });

  it.each([
    ["a change", editOf("PORT", PORT, { type: "STRING", description: "x", value: "y" })],
    ["a change of the description alone", editOf("PORT", PORT, { ...PORT, description: "x" })],
    ["a new variable", editOf("NEW", undefined, PORT)],
    ["a delete, with type and description", editOf("PORT", PORT, undefined)],
  ] satisfies [string, Edit][])("a reversed edit undoes %s", async (_what, edit) => {
    const { apply, source } = await editing();
    const state = async () => {
      const { data: variables } = await source.listVariables();
      const { data: values } = await source.listValues();
      return variables.map(({ id, ...rest }) => [
        rest,
        values.find((item) => item.variable_id === id)?.content,
      ]);
    };
    const sorted = async () => (await state()).map((item) => JSON.stringify(item)).sort();
    const before = await sorted();
    await apply(edit);
    expect(await sorted()).not.toEqual(before);
    await apply(turned(edit));
    expect(await sorted()).toEqual(before);
  });

  it("that delete a value keep the definition until the last value is deleted", async () => {
    const inTest = edited((data) =>
      data.values.push({ ...data.values[0], id: 99, environment_id: 2 }),
    );
    const deletion = (...names: string[]) =>
      names.map((environment) => ({
        environment,
        changes: [{ name: "PORT", ...PORT, value: undefined }],
      }));
    const { editor } = await editing(inTest);
    const gone: VariableState = { ...PORT, value: undefined };
    expect((await editor.assign(deletion("shop/development")))[0]?.changes[0]?.after).toEqual(gone);
    const both = await editor.assign(deletion("shop/development", "shop/test"));
    expect(both.map(({ environment, changes }) => [environment, changes[0]?.after])).toEqual([
      ["shop/development", undefined],
      ["shop/test", undefined],
    ]);
  });

  it("of several environments are written together, or not at all", async () => {
    const { editor, write, onDisk } = await editing();
    const wanted = ["shop/development", "shop/test", "shop/production"].map((environment) => {
      return { environment, changes: [{ name: "NEW", ...PORT }] };
    });
    const parts: readonly EnvironmentChanges[] = await editor.assign(wanted);
    expect(parts.map(({ environment }) => environment)).toEqual(
      wanted.map(({ environment }) => environment),
    );
    await write({
      ...DATA,
      environments: DATA.environments.filter(({ id }) => id !== 3),
      values: DATA.values.filter((each) => each.environment_id !== 3),
    });
    await expect(editor.apply(parts)).rejects.toThrow('no environment named "shop/production"');
    expect((await onDisk()).variables.some(({ name }) => name === "NEW")).toBe(false);
    await editor.apply(parts.slice(0, 2));
    expect((await onDisk()).values.filter(({ content }) => content.value === 3000)).toHaveLength(3);
  });

  it("that rename keep the values of all environments", async () => {
    const { prepare, apply, onDisk } = await editing();
    const edit = await prepare(portDraft({ newName: "LISTEN_PORT" }));
    expect(edit).toEqual({
      changes: [{ name: "PORT", newName: "LISTEN_PORT", before: PORT, after: PORT }],
    });
    await apply(edit);
    const { variables, values } = await onDisk();
    expect(variables.find(({ name }) => name === "LISTEN_PORT")?.id).toBe(
      DATA.variables.find(({ name }) => name === "PORT")?.id,
    );
    expect(values).toEqual(DATA.values.toSorted((a, b) => a.id - b.id));
    await expect(
      prepare(portDraft({ name: "LISTEN_PORT", newName: "DATABASE_URL" })),
    ).rejects.toThrow("already has a variable DATABASE_URL");
  });

  it("can set and remove the rules of a variable", async () => {
    const { prepare, apply, onDisk } = await editing();
    const rules = { optional: true, secret: false, schema: '{"minimum":1}' };
    await apply(await prepare(portDraft(rules)));
    const port = async () => (await onDisk()).variables.find(({ name }) => name === "PORT");
    expect(await port()).toMatchObject({ optional: true, secret: false, schema: { minimum: 1 } });
    const before: VariableState = {
      ...PORT,
      optional: true,
      secret: false,
      schema: { minimum: 1 },
    };
    await apply(await prepare(portDraft({ before, optional: false, secret: true, schema: "" })));
    expect(Object.keys((await port()) ?? {})).not.toContain("schema");
    expect(await port()).not.toHaveProperty("optional");
  });

  it.each([
    ["{", "the schema: not valid JSON"],
    ['{"type":"nope"}', "the schema is not valid"],
    ['{"minimum":4000}', "refused by the schema: PORT must be >= 4000"],
  ])("prepare refuses the schema %s", async (schema, message) => {
    const { prepare } = await editing();
    await expect(prepare(portDraft({ schema }))).rejects.toThrow(message);
  });

  it.each([
    ["its value", (data: Data) => setPort(data, { content: { value: 1 } })],
    ["its description", (data: Data) => setVariable(data, { description: "new" })],
    ["its type", (data: Data) => setVariable(data, { type: "JSON" })],
    [
      "its value (deleted)",
      (data: Data) => ({ ...data, values: data.values.filter(({ id }) => id !== 12) }),
    ],
    ["its environment (deleted)", (data: Data) => ({ ...data, ...withoutDevelopment(data) })],
  ])("apply refuses an edit after another program has changed %s", async (part, change) => {
    const { apply, path, write } = await editing();
    await write(change(DATA));
    const before = await readFile(path, "utf8");
    const message = part.startsWith("its environment")
      ? "no environment named"
      : "PORT was changed";
    await expect(apply(editOf("PORT", PORT, { ...PORT, value: 8080 }))).rejects.toThrow(message);
    expect(await readFile(path, "utf8")).toBe(before);
  });

  it("keep changes that another program made to other variables", async () => {
    const { apply, write, value } = await editing();
    await write(edited((data) => (data.values[1].content.value = "by another")));
    await apply(editOf("PORT", PORT, { ...PORT, value: 8080 }));
    expect([await value("PORT"), await value("DATABASE_URL")]).toEqual([8080, "by another"]);
  });

  it.skipIf(process.getuid?.() === 0)(
    "apply reports a file that can't be written (skipped as root)",
    async () => {
      const { apply, path, value } = await editing();
      await chmod(dirname(path), 0o500);
      onTestFinished(() => chmod(dirname(path), 0o700));
      const failure = {
        code: "invalid_data",
        message: expect.stringContaining("permission denied"),
      };
      await expect(apply(editOf("PORT", PORT, undefined))).rejects.toMatchObject(failure);
      expect(await value("PORT")).toBe(3000);
    },
  );

  it("are refused if the file has become invalid", async () => {
    const { apply, write } = await editing();
    await write("{");
    const failure = { code: "invalid_data", message: expect.stringContaining("is not valid JSON") };
    await expect(apply(editOf("PORT", PORT, undefined))).rejects.toMatchObject(failure);
  });
});

function setPort(data: Data, fields: object): Data {
  return {
    ...data,
    values: data.values.map((item) => (item.id === 12 ? { ...item, ...fields } : item)),
  };
}

function setVariable(data: Data, fields: object): Data {
  return {
    ...data,
    variables: data.variables.map((item) => (item.name === "PORT" ? { ...item, ...fields } : item)),
  };
}

function withoutDevelopment(data: Data): Pick<Data, "environments" | "values"> {
  return {
    environments: data.environments.filter(({ id }) => id !== 1),
    values: data.values.filter(({ environment_id }) => environment_id !== 1),
  };
}
