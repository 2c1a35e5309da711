import { copyFile, readFile, symlink, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { listening } from "../../../client/peer.js";
import { runScript } from "../../../support/binary.js";
import { CREDENTIALS } from "../../../support/data.js";
import { runningServer } from "../../../support/running-server.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import {
  developmentProfile,
  isWell,
  openPlace,
  profileFolder,
  type RemoteProgram,
  remoteProgram,
} from "../../../tui/support/tui.js";

describe("a command that is copied", () => {
  it("a copied command prints the value in a shell, for a profile with any environment variables set", async () => {
    const { url } = await runningServer();
    const folder = await profileFolder({ staging: developmentProfile(url) });
    const env = { APPVARS_URL: "http://127.0.0.1:1", APPVARS_API_KEY: "other", APPVARS_API_SECRET: "hunter2" };
    const program = await remoteProgram({}, { config: folder.path, env });
    await openPlace(program, "staging");
    const command = await copiedCommand(program);
    const { stdout, stderr } = await runCopied(command, { ...env, XDG_CONFIG_HOME: await configHome(folder.path) });
    expect([stdout, stderr]).toEqual(["postgres://localhost/dev\n", ""]);
    expect(command).not.toMatch(/hunter2|dev-secret/);
  });

  it("a copied command prints the value in a shell, for a server from flags and variables", async () => {
    const { url } = await runningServer();
    const env = CREDENTIALS;
    const program = await remoteProgram({ url }, { env });
    await program.until(isWell);
    const command = await copiedCommand(program);
    expect(await runCopied(command, env)).toMatchObject({ code: 0, stdout: "postgres://localhost/dev\n" });
    expect(command).not.toContain("dev-secret");
  });

  it("a copied command prints the value in any folder, for a TLS server from .appvars.json", async () => {
    const { url } = await tlsServer();
    const cwd = await temporaryFolder();
    await copyFile(TLS.cert, join(cwd, "ca.pem"));
    const project = { url: url.origin, api_key: "dev-key", ca_file: "ca.pem" };
    await writeFile(join(cwd, ".appvars.json"), JSON.stringify(project));
    const env = { APPVARS_API_SECRET: "dev-secret" };
    const program = await remoteProgram({}, { env: { ...env, APPVARS_ALLOW_PROJECT: "1" }, cwd });
    await program.until(isWell);
    const command = await copiedCommand(program);
    for (const folder of [cwd, "/"]) {
      const printed = await runCopied(`cd ${folder}; ${command}`, env);
      expect(printed).toMatchObject({ code: 0, stdout: "postgres://localhost/dev\n" });
    }
    expect(command).not.toContain("dev-secret");
  });

  async function copiedCommand(program: RemoteProgram): Promise<string> {
    program.press("Y", "j", "j", "j", "j", "enter");
    await program.until(() => program.copied.length > 0);
    return program.copied[0] ?? "";
  }

  /** A program, since `env` can't run a function of the shell. */
  async function runCopied(command: string, env: Record<string, string>) {
    const bin = await temporaryFolder();
    const script = `#!/bin/sh\nexec "$NODE" "$BINARY" "$@"\n`;
    await writeFile(join(bin, "appvars"), script, { mode: 0o755 });
    return runScript(`unset -f appvars; PATH="${bin}:$PATH"; ${command}`, env);
  }
});

const TLS = {
  key: fileURLToPath(new URL("../../../support/tls/key.pem", import.meta.url)),
  cert: fileURLToPath(new URL("../../../support/tls/certificate.pem", import.meta.url)),
};

/** A TLS proxy for a server. */
async function tlsServer() {
  const { port } = await runningServer();
  const [key, cert] = await Promise.all([readFile(TLS.key), readFile(TLS.cert)]);
  const server = createServer({ key, cert }, ({ url = "", headers }, res) => {
    get({ host: "127.0.0.1", port, path: url, headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    });
  });
  return listening(server, "https");
}

/** A config folder with these profiles. */
async function configHome(profiles: string): Promise<string> {
  const home = await temporaryFolder();
  await symlink(profiles, join(home, "appvars"));
  return home;
}
