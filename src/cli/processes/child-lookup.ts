import { spawn } from "node:child_process";
import { getDefaultResultOrder, type LookupAddress, lookup as lookupHere } from "node:dns";
import { once } from "node:events";
import { isIP, type LookupFunction } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";

/**
 * Prints the addresses of the host in its first argument, or an error code. The second argument has the options of
 * `dns.lookup`. It ends when the process that waits for it ends.
 */
const SCRIPT = `
  const [, host, options] = process.argv;
  process.stdin.on("end", () => process.kill(process.pid, "SIGKILL")).resume();
  require("node:dns").lookup(host, { ...JSON.parse(options), all: true }, (error, addresses) => {
    process.stdout.write(JSON.stringify(error ? error.code : addresses), () => process.exit());
  });`;

/** Lookups under way, by host and options. Requests share them, so that retries start no further processes. */
const pending = new Map<string, Promise<LookupAddress[]>>();

/**
 * Looks up a host in a separate process, which can be killed. That takes as long as starting Node, so `lookup` of
 * end-process.ts uses it only where a process can't end during a lookup.
 */
export const childLookup: LookupFunction = (host, options, callback) => {
  if (host === "localhost") return lookupHere(host, options, callback);
  const { family = 0, hints = 0 } = options;
  addressesOf(host, JSON.stringify({ family, hints })).then(
    (addresses) => {
      const [first] = addresses;
      if (options.all) callback(null, addresses);
      else callback(null, first?.address ?? "", first?.family);
    },
    (error) => callback(error, ""),
  );
};

function addressesOf(host: string, options: string): Promise<LookupAddress[]> {
  const key = `${options} ${host}`;
  const known = pending.get(key);
  if (known) return known;
  const lookup = runLookup(host, options).finally(() => pending.delete(key));
  pending.set(key, lookup);
  return lookup;
}

async function runLookup(host: string, options: string): Promise<LookupAddress[]> {
  const order = `--dns-result-order=${getDefaultResultOrder()}`;
  const child = spawn(process.execPath, [order, "--eval", SCRIPT, "--", host, options], {
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  // It must not keep this process alive.
  for (const handle of [child, child.stdin, child.stdout] as { unref?: () => void }[]) handle.unref?.();
  child.stdin.on("error", () => {});
  const failure = once(child, "error").then(([error]) => Promise.reject(error));
  const output = await Promise.race([text(child.stdout), failure]).catch(() => undefined);
  // No process could be started, perhaps because there are too many.
  if (output === undefined) return promisify(lookupHere)(host, { ...JSON.parse(options), all: true });
  return parseAddresses(output, host);
}

/** @throws an error like that of `dns.lookup` */
function parseAddresses(output: string, host: string): LookupAddress[] {
  const found = tryParseJson(output);
  if (Array.isArray(found) && found.length > 0 && found.every(isAddress)) return found;
  const code = typeof found === "string" && /^[A-Z_]+$/.test(found) ? found : "EAI_FAIL";
  throw Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code, hostname: host, syscall: "getaddrinfo" });
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isAddress(item: unknown): item is LookupAddress {
  const { address, family } = Object(item) as Partial<LookupAddress>;
  return typeof address === "string" && family !== undefined && family !== 0 && isIP(address) === family;
}
