import { accessSync, constants, lstatSync, readlinkSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { command } from "../domain/shell.js";
import { hasCode } from "./system-errors.js";

/** The user who runs this process. */
export interface Account {
  /** Undefined on systems without numeric user ids. */
  user: number | undefined;
  /** Ids of all groups that the user is in. */
  groups: readonly number[];
}

/** A file, folder or link through which others can choose what is found at a path. */
export interface PathRisk {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  /** Who they are: its owner, its group, or every user. */
  readonly holder: "owner" | "group" | "everybody";
  readonly id: number;
}

const ROOT = 0;
export const STICKY = 0o1000;
/** As many as Linux follows in one path. */
const MAX_LINKS = 40;

/**
 * Everything that lets users other than this one and root change or replace what is at `path`: the owner or mode of the
 * file, of a folder above it, or of a link on the way, from the file system's root down. The rule is that of OpenSSH
 * (`safe_path`), except that
 *
 * - the user's groups and root's may write: where each user has a group of their own, folders are 0775;
 * - everybody may write in a sticky folder such as /tmp, because only owners can replace files there.
 *
 * Whatever does not exist or can't be inspected ends the walk. Synchronous, because settings are read synchronously.
 *
 * @param path not normalized: behind a link to a folder, `..` is the parent of the link's target
 */
export function pathRisks(path: string, account: Account): PathRisk[] {
  return followPath(path, account).risks;
}

interface Followed {
  readonly risks: PathRisk[];
  /** The existing part of the path, with links resolved. */
  readonly found: string;
  /** The parts of the path that do not exist. */
  readonly missing: readonly string[];
}

/** Follows a path as the system does. When there are no risks, nobody else can replace `found` afterwards. */
export function followPath(path: string, account: Account): Followed {
  const { root } = parse(resolve(path));
  const pending = partsOf(absoluteUnnormalized(path));
  // Windows may have no such drive.
  const rootStats = lstatIfExists(root);
  if (!rootStats) return { risks: [], found: root, missing: pending };
  const risks = riskOf(root, rootStats, account);
  let [folder, links] = [root, 0];
  for (let name = pending[0]; name !== undefined; name = pending[0]) {
    const next = name === ".." ? dirname(folder) : join(folder, name);
    const stats = lstatIfExists(next);
    if (!stats || (stats.isSymbolicLink() && ++links > MAX_LINKS)) break;
    pending.shift();
    risks.push(...riskOf(next, stats, account));
    if (stats.isSymbolicLink()) {
      const target = readlinkSync(next);
      // Windows links folders of different drives.
      if (isAbsolute(target)) folder = parse(resolve(folder, target)).root;
      pending.unshift(...partsOf(target));
    } else folder = next;
  }
  const isFirst = (risk: PathRisk, index: number) => risks.findIndex(({ path }) => path === risk.path) === index;
  return { risks: risks.filter(isFirst), found: folder, missing: pending };
}

/** Windows itself removes `..` as text. */
function absoluteUnnormalized(path: string): string {
  if (sep === "\\") return resolve(path);
  return isAbsolute(path) ? path : `${resolve()}/${path}`;
}

function partsOf(path: string): string[] {
  const parts = path.slice(parse(path).root.length).split(sep);
  return parts.filter((part) => part !== "" && part !== ".");
}

function riskOf(path: string, stats: Stats, account: Account): PathRisk[] {
  const kind = stats.isSymbolicLink() ? "link" : stats.isDirectory() ? "folder" : "file";
  const holder = otherWriter(stats, account);
  if (!holder || (holder === "everybody" && isReadOnly(path))) return [];
  return [{ path, kind, holder, id: { owner: stats.uid, group: stats.gid, everybody: 0 }[holder] }];
}

/** Whether a risk is a reason to refuse a file. Root may use other users' files: in a container it often has to. */
export function isRefusedTo({ user }: Account, { holder }: PathRisk): boolean {
  return user !== ROOT || holder === "everybody";
}

type Ownership = Pick<Stats, "uid" | "gid" | "mode">;

/** Who other than this user and root may write a file, folder or link. */
function otherWriter({ uid, gid, mode }: Ownership, { user, groups }: Account): PathRisk["holder"] | undefined {
  if (user === undefined) return undefined;
  if (uid !== user && uid !== ROOT) return "owner";
  const type = mode & constants.S_IFMT;
  // The mode of a link means nothing.
  if (type === constants.S_IFLNK || (type === constants.S_IFDIR && mode & STICKY)) return undefined;
  if (mode & 0o002) return "everybody";
  return mode & 0o020 && !groups.includes(gid) && gid !== ROOT ? "group" : undefined;
}

export const HOLDER_PREDICATES = {
  owner: "belongs to another user",
  group: "can be written by a group that you are not in",
  everybody: "can be written by everybody",
};

/** Why other users may have written an open file, by the same rule: a predicate; undefined if they can't have. */
export function foreignWriter(stats: Ownership, account: Account): string | undefined {
  const holder = otherWriter(stats, account);
  return holder && HOLDER_PREDICATES[holder];
}

/** Kubernetes mounts a ConfigMap as a folder with mode 0777 that nobody can write to. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return hasCode(error, "EROFS");
  }
}

/** Undefined in a folder that can't be searched, too. */
export function lstatIfExists(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** The mode of a file that users other than its owner have access to; undefined for a private one. */
export async function looseMode(path: string): Promise<string | undefined> {
  const stats = statSync(path);
  const { mode } = stats;
  // Windows always reports these bits as set.
  return sep === "\\" || (mode & 0o077) === 0 || isCredential(stats) ? undefined : `0${(mode & 0o777).toString(8)}`;
}

/** Root's own and read-only: systemd gives a service access to its credentials by an ACL, whose mask is the group's mode. */
function isCredential({ uid, gid, mode }: Ownership): boolean {
  return uid === ROOT && gid === ROOT && (mode & 0o777) === 0o440;
}

export async function looseModeWarning(path: string): Promise<string | undefined> {
  const mode = await looseMode(path);
  return mode && `${path} holds secrets and others may read it (mode ${mode}); run: ${command`chmod 600 ${path}`}`;
}
