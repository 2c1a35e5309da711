import { it } from "vitest";
import { writeYaml } from "../../../src/formats/yaml.js";
import { asJson, expectSame, fileWith, has, output, table } from "../../formats/consumers.js";
import { hasLoneSurrogate } from "../../formats/nasty-values.js";

const { held } = table((text) => !hasLoneSurrogate(text));

it.skipIf(!has("python3", "-c", "import yaml"))(
  "PyYAML preserves every value (skipped without it)",
  async () => {
    const file = await fileWith("vars.yaml", writeYaml(held));
    const script =
      "import json, sys, yaml\nprint(json.dumps(yaml.load(open(sys.argv[1], 'rb'), yaml.SafeLoader)))";
    expectSame(JSON.parse(await output("python3", ["-c", script, file])), asJson(held));
  },
);
