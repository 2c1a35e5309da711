import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-folder.js";

/** Whether a program can run with its own network and its own versions of system files. */
export const canFakeDns =
  spawnSync("unshare", ["-rmn", "ip", "link", "set", "lo", "up"]).status === 0;

/**
 * Words to put before a command line: it then runs where the only DNS server never answers. They
 * need no quotes.
 */
export async function withSilentDns(): Promise<string[]> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "resolv.conf"), "nameserver 127.0.0.1\n");
  const server =
    'require("node:dgram").createSocket("udp4").bind(53, "127.0.0.1", () => console.log("ready"))';
  await writeFile(join(folder, "server.cjs"), server);
  const script = `ip link set lo up
mount --bind ${folder}/resolv.conf /etc/resolv.conf
mkfifo ${folder}/ready
'${process.execPath}' ${folder}/server.cjs >${folder}/ready & trap "kill $!" EXIT
read ready <${folder}/ready
"$@"`;
  await writeFile(join(folder, "run"), script);
  return ["unshare", "-rmn", "sh", `${folder}/run`];
}

/** The same, but this name resolves to this machine. */
export async function withLoopbackName(name: string): Promise<string[]> {
  const hosts = join(await temporaryFolder(), "hosts");
  await writeFile(hosts, `127.0.0.1 ${name}\n`);
  return ["unshare", "-rm", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', hosts];
}
