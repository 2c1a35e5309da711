// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are templates of HCL
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { writeTfvars } from "../../../src/formats/lines.js";
import type { NamedValue } from "../../../src/model/variable.js";
import { fileWith, has, output, table } from "../../formats/consumers.js";
import { hasLoneSurrogate } from "../../formats/nasty-values.js";

const { held } = table((text) => !hasLoneSurrogate(text) && text === text.normalize("NFC"));

const named = (name: string, value: NamedValue["value"] = "x"): NamedValue => ({
  name,
  type: "JSON",
  value,
});

/** The values of Terraform's variables of these names, having read the file. */
async function terraformReads(entries: readonly NamedValue[]): Promise<Record<string, unknown>> {
  const file = await fileWith("vars.tfvars", writeTfvars(entries));
  const folder = dirname(file);
  await writeFile(
    `${folder}/main.tf`,
    entries.map(({ name }) => `variable "${name}" {}\n`).join(""),
  );
  const list = entries.map(({ name }) => `${name} = var.${name}`).join(", ");
  await writeFile(`${folder}/expression`, `base64encode(jsonencode({ ${list} }))\n`);
  const script = `terraform -chdir="$0" console -no-color -var-file=vars.tfvars < "$0/expression"`;
  const text = await output("sh", ["-c", script, folder], {
    TF_CLI_CONFIG_FILE: "/dev/null",
    CHECKPOINT_DISABLE: "1",
  });
  return JSON.parse(Buffer.from(text.trim().replaceAll('"', ""), "base64").toString());
}

it.skipIf(!has("terraform", "version"))(
  "Terraform gives every value back (skipped without it)",
  async () => {
    // It keeps attributes of an object in the order of their names.
    const read = await terraformReads(held);
    expect(Object.keys(read).sort()).toEqual(held.map(({ name }) => name).sort());
    for (const { name, value } of held) expect(read[name], name).toEqual(value);
  },
);

it.skipIf(!has("terraform", "version"))(
  "Terraform takes HCL's own words as names (skipped without it)",
  async () => {
    const entries = ["true", "null", "for", "in", "if", "_a-b", "__proto__", "variable"].map(
      (name) => named(name),
    );
    expect(Object.keys(await terraformReads(entries)).sort()).toEqual(
      entries.map(({ name }) => name).sort(),
    );
  },
);
