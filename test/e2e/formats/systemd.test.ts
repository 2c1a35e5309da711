import { readdirSync } from "node:fs";
import { it } from "vitest";
import { writeSystemd } from "../../../src/formats/lines.js";
import { asText, expectSame, fileWith, has, output, table } from "../../formats/consumers.js";
import { hasLoneSurrogate } from "../../formats/nasty-values.js";

const { held } = table(
  (text) =>
    !text.includes("\0") && !hasLoneSurrogate(text) && !/\p{Noncharacter_Code_Point}/u.test(text),
);

const [library] = [
  "/usr/lib/x86_64-linux-gnu/systemd",
  "/usr/lib/aarch64-linux-gnu/systemd",
  "/usr/lib/systemd",
].flatMap((folder) => {
  try {
    const names = readdirSync(folder).filter((name) => /^libsystemd-shared-\d+\.so$/.test(name));
    return names.map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
});

/** Calls the function that reads the files of `EnvironmentFile=`. */
const LOAD = `
import ctypes, json, sys
load = ctypes.CDLL(sys.argv[1]).load_env_file
load.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
found = ctypes.POINTER(ctypes.c_char_p)()
code = load(None, sys.argv[2].encode(), ctypes.byref(found))
assert code == 0, code
index, pairs = 0, []
while found[index]:
    pairs.append(found[index].decode().split("=", 1))
    index += 1
print(json.dumps(dict(pairs)))
`;

it.skipIf(!library || !has("python3", "--version"))(
  "systemd's own parser preserves every value (skipped without systemd and Python)",
  async () => {
    const file = await fileWith("vars.env", writeSystemd(held));
    expectSame(
      JSON.parse(await output("python3", ["-c", LOAD, library ?? "", file])),
      asText(held),
    );
  },
);
