import { readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BINARY, type Finished, run } from "../support/binary.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { REPOSITORY } from "./documents.js";
import { type CodeBlock, parseDocument } from "./parse-document.js";

/** One section of docs/recipes.md. */
export interface Recipe {
  readonly title: string;
  readonly text: string;
  /** The blocks other than console blocks, in order. */
  readonly blocks: readonly CodeBlock[];
}

export const RECIPES: readonly Recipe[] = readFileSync(join(REPOSITORY, "docs/recipes.md"), "utf8")
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.slice(0, text.indexOf("\n")),
    text,
    blocks: parseDocument(text).filter((part) => part.kind === "code"),
  }));

/** @throws Error if the document has no such recipe */
export function recipe(title: string): Recipe {
  const found = RECIPES.find((each) => each.title === title);
  if (found === undefined) throw new Error(`docs/recipes.md has no recipe "${title}"`);
  return found;
}

/** The text of the only block in a language, or of the file with this name. */
export function block(title: string, languageOrFile: string): string {
  const blocks = recipe(title).blocks.filter(({ language, file }) =>
    [file ?? language, file].includes(languageOrFile),
  );
  const [first, ...others] = blocks;
  if (first === undefined || others.length > 0)
    throw new Error(`${title}: ${blocks.length} blocks "${languageOrFile}"`);
  return first.text;
}

/**
 * Creates a folder with the files of a recipe, in which its commands run. Programs in it can import
 * the package.
 */
export class Workplace {
  readonly folder: string;
  readonly #env: Record<string, string>;

  private constructor(folder: string, env: Record<string, string>) {
    this.folder = folder;
    this.#env = env;
  }

  /**
   * @param env variables of the commands, in addition to `PATH`, which has `appvars`, and their own
   *   home
   */
  static async of(title: string, env: Record<string, string>): Promise<Workplace> {
    const folder = await temporaryFolder();
    const bin = join(folder, "bin");
    await mkdir(bin);
    await mkdir(join(folder, "node_modules"));
    await symlink(REPOSITORY, join(folder, "node_modules", "appvars"));
    const place = new Workplace(folder, {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: folder,
      LC_ALL: "C.UTF-8",
      ...env,
    });
    await place.writeProgram("bin/appvars", `exec '${process.execPath}' '${BINARY}' "$@"`);
    await place.writeProgram("bin/node", `exec '${process.execPath}' "$@"`);
    for (const { file, text } of recipe(title).blocks)
      if (file !== undefined) await place.write(file, text);
    return place;
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(join(this.folder, name), text);
  }

  writeProgram(name: string, script: string): Promise<void> {
    return writeFile(join(this.folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  /** Runs a script in the folder. */
  run(
    script: string,
    { shell = ["sh"], env = {} }: { shell?: string[]; env?: Record<string, string> } = {},
  ): Promise<Finished> {
    const [program = "", ...flags] = shell;
    return run(program, [...flags, "-c", `cd '${this.folder}'\n${script}`], {
      ...this.#env,
      ...env,
    });
  }

  /** Runs a script that must succeed. Resolves to its output. */
  async print(script: string, options?: Parameters<Workplace["run"]>[1]): Promise<string> {
    const { code, stdout, stderr } = await this.run(script, options);
    if (code !== 0) throw new Error(`exit code ${code}: ${stderr}${stdout}`);
    return stdout;
  }
}
