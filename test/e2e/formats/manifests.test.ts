import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { writeKubernetes } from "../../../src/formats/manifests.js";
import { asText, expectSame, fileWith, has, table } from "../../formats/consumers.js";
import { hasLoneSurrogate } from "../../formats/nasty-values.js";
import { run } from "../../support/binary.js";

const hasKubectl = has("kubectl", "version", "--client");

describe("kubernetes", () => {
  const { held } = table((text) => !hasLoneSurrogate(text));

  function valuesOf(secret: { data: Record<string, string> }): Record<string, string> {
    return Object.fromEntries(
      Object.entries(secret.data).map(([key, value]) => [
        key,
        Buffer.from(value, "base64").toString(),
      ]),
    );
  }

  // kubectl reads the manifest before it looks for a cluster; `kustomize` needs none.
  it.skipIf(!hasKubectl)("kubectl reads every value (skipped without kubectl)", async () => {
    const manifest = await fileWith("secret.yaml", writeKubernetes(held));
    const folder = dirname(manifest);
    await writeFile(`${folder}/kustomization.yaml`, "resources: [secret.yaml]\n");
    const { code, stdout, stderr } = await run("kubectl", ["kustomize", folder]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expectSame(valuesOf(parse(stdout)), asText(held));
  });
});
