import { readFileSync, watch } from "node:fs";
import {
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "../support/backing-process.js";
import { BINARY } from "../support/binary.js";
import { ShellSession } from "../support/scripts/shell-session.js";
import type { Command } from "./parse-document.js";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const PRELOAD = fileURLToPath(new URL("preload.cjs", import.meta.url));
/** How long a background command may take to print as many lines as the document shows. */
const MAX_WAIT_MS = 40_000;
const FOLDERS = ["work", "home", "bin", "streams", "terminal", "node_modules"];

/**
 * A shell that runs the commands of one document, in an empty folder with an empty home. `appvars`
 * is the built command line, and programs can import the package.
 */
export class DocumentSession {
  readonly #root: string;
  readonly #shell: ShellSession;
  #steps = 0;
  #code = 0;

  private constructor(root: string, surroundings: Record<string, string>) {
    this.#root = root;
    const env = {
      ...{
        PATH: `${join(root, "bin")}:${process.env["PATH"]}`,
        HOME: join(root, "home"),
        LC_ALL: "C.UTF-8",
      },
      APPVARS_ACTOR: "me@laptop",
      ...surroundings,
    };
    this.#shell = new ShellSession({
      folder: join(root, "work"),
      env,
      spare: join(root, "streams"),
    });
  }

  /** @param usesEtcd whether the document starts etcd, as `etcd` without flags for its ports */
  static async open({ usesEtcd = false } = {}): Promise<DocumentSession> {
    const root = await realpath(await mkdtemp(join(tmpdir(), "appvars-docs-")));
    for (const folder of FOLDERS) await mkdir(join(root, folder));
    await symlink(REPOSITORY, join(root, "node_modules", "appvars"));
    await copyFile(PRELOAD, join(root, "preload.cjs"));
    const node = `exec '${process.execPath}' --require '${root}/preload.cjs'`;
    await writeProgram(root, "node", `${node} "$@"`);
    await writeProgram(root, "appvars", `${node} '${BINARY}' "$@"`);
    // Like on a terminal, curl shows no progress. Its requests go to the session's port, as the
    // requests of `appvars` do.
    const connectTo = [7400, 7401].map((port) => {
      return `--connect-to "127.0.0.1:${port}:127.0.0.1:$(cat '${root}/port-${port}' 2>/dev/null || echo 1)"`;
    });
    const realCurl = `PATH="\${PATH#*:}" exec curl --silent --show-error ${connectTo.join(" ")}`;
    await writeProgram(root, "curl", `${realCurl} "$@"`);
    return new DocumentSession(root, usesEtcd ? await etcdSettings(root) : {});
  }

  async writeFile(name: string, text: string): Promise<void> {
    await writeFile(join(this.#root, "work", name), text);
  }

  /**
   * Runs a command. Returns its output as on a terminal, with stdout and stderr together. A command
   * that ends with `&` keeps running, and is read until it has printed as many lines as the
   * document shows.
   */
  async run({ text, output }: Command): Promise<string[]> {
    const file = join(this.#root, "terminal", String(++this.#steps));
    // `$?` is the exit code of the previous command.
    const { code = 0 } = await this.#shell.run(
      `(exit ${this.#code}); eval ${quote(text)} >${quote(file)} 2>&1`,
    );
    this.#code = code;
    if (text.endsWith(" &")) await this.#untilPrinted(file, output.length);
    const printed = (await readFile(file, "utf8"))
      .replace(/\n$/, "")
      .replaceAll(join(this.#root, "work"), "/home/me/project");
    return printed === "" ? [] : printed.split("\n");
  }

  /** Kills everything that is still running, and removes the files. */
  async close(): Promise<void> {
    await this.#shell.close();
    await rm(this.#root, { recursive: true, force: true });
  }

  /** @throws Error with the output so far, if the rest does not arrive */
  #untilPrinted(file: string, lines: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let printed = "";
      const end = (settle: () => void) => {
        clearTimeout(timer);
        watcher.close();
        settle();
      };
      const check = () => {
        printed = readFileSync(file, "utf8");
        if (printed.split("\n").length > lines) end(resolve);
      };
      const timer = setTimeout(
        () => end(() => reject(new Error(`printed only:\n${printed}`))),
        MAX_WAIT_MS,
      );
      const watcher = watch(file, check);
      check();
    });
  }
}

/** Variables with which etcd and etcdctl use free ports. `appvars` finds them too. */
async function etcdSettings(root: string): Promise<Record<string, string>> {
  const urls = (await freePorts(2)).map((port) => `http://127.0.0.1:${port}`);
  const [clients = "", peers = ""] = urls;
  await writeFile(join(root, "port-2379"), new URL(clients).port);
  return {
    ...{ ETCD_LISTEN_CLIENT_URLS: clients, ETCD_ADVERTISE_CLIENT_URLS: clients },
    ...{ ETCD_LISTEN_PEER_URLS: peers, ETCD_INITIAL_ADVERTISE_PEER_URLS: peers },
    ETCD_INITIAL_CLUSTER: `default=${peers}`,
    ETCDCTL_ENDPOINTS: clients,
  };
}

function writeProgram(root: string, name: string, line: string): Promise<void> {
  return writeFile(join(root, "bin", name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
