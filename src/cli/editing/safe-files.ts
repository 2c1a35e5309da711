import { lstatSync, readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { InvalidDataError } from "../../domain/errors.js";
import { command } from "../../domain/shell.js";
import { followPath, isRefusedTo, looseModeWarning, type PathRisk } from "../../files/path-risks.js";
import { toInvalidData } from "../../files/system-errors.js";
import type { Io } from "../output/io.js";
import { readSwitch } from "../settings/setting.js";

/** Who runs this, and whether they allow unsafe files. */
export type FileUser = Pick<Io, "user" | "groups" | "env">;

/**
 * Checks a data file to serve, change or create: other users must not be able to change or replace it. Root may use a
 * file of another user, as it often must in a container.
 *
 * @returns a warning, if there is one
 * @throws InvalidDataError that says who can change it, and how to fix that
 */
export function refuseUnsafeFile(path: string, io: FileUser): string | undefined {
  const { refused, warned } = fileRisks(path, io);
  if (refused.length > 0) throw new InvalidDataError(describeRisks(path, refused));
  return warned.length > 0 ? riskWarning(path, warned) : undefined;
}

/**
 * Checks a file before it is read again; also one that is missing, which another user could create before it is opened.
 * The message is a predicate: `can't be read: ...`.
 *
 * @throws InvalidDataError
 */
export function refuseToReload(path: string, io: FileUser): void {
  const { refused, found, missing } = fileRisks(path, io);
  if (refused.length > 0) throw new InvalidDataError(riskPredicate(refused));
  const [name] = missing;
  if (name === undefined) return;
  try {
    lstatSync(join(found, name));
  } catch (error) {
    throw toInvalidData(error, "can't be read");
  }
  throw new InvalidDataError("can't be read: it is being changed, or there are too many links");
}

/** Checks a file that is only read: a warning if `refuseUnsafeFile` would throw. */
export function unsafeFileWarning(path: string, io: FileUser): string | undefined {
  const { refused } = fileRisks(path, io);
  return refused.length > 0 ? describeRisks(path, refused) : undefined;
}

/** A warning if others may read a file with secrets. If it can't be read, whoever reads it next reports why. */
export function looseFileWarning(path: string): Promise<string | undefined> {
  return looseModeWarning(path).catch(() => undefined);
}

/** Whether two paths lead to the same existing file, by a link too. */
export async function isSameFile(a: string, b: string): Promise<boolean> {
  // As bigint: Windows has numbers of files that a double can't hold.
  const [one, other] = await Promise.all([a, b].map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

/** What exists of a path, and what lets others change or replace it. */
export interface FileRisks extends Pick<ReturnType<typeof followPath>, "found" | "missing"> {
  /** Reasons to refuse the file. */
  readonly refused: PathRisk[];
  /** Reasons for a warning only, because root runs this or `isAllowed`. */
  readonly warned: PathRisk[];
  /** Whether APPVARS_ALLOW_UNSAFE_FILES is set. */
  readonly isAllowed: boolean;
}

/** Finds both; none if the system has no user ids. @throws UsageError if the variable has an unknown value */
export function fileRisks(path: string, io: FileUser): FileRisks {
  const { risks, ...place } = followPath(path, io);
  const isAllowed = readSwitch(ALLOW_VARIABLE, io.env);
  const isRefused = (risk: PathRisk) => !isAllowed && isRefusedTo(io, risk);
  const [refused, warned] = [risks.filter(isRefused), risks.filter((risk) => !isRefused(risk))];
  return { ...place, refused, warned, isAllowed };
}

const ALLOW_VARIABLE = "APPVARS_ALLOW_UNSAFE_FILES";

/** For what can't be fixed: in a user namespace, `/` may belong to a user who can't be changed. */
export const ALLOW_ADVICE = `set ${ALLOW_VARIABLE}=1 if you trust these users`;

/** `vars.json can be changed by other users: /srv is writable by everybody; to fix this: chmod o-w /srv; or ...`. */
export function describeRisks(path: string, risks: readonly PathRisk[]): string {
  return `${path} ${riskPredicate(risks)}`;
}

function riskPredicate(risks: readonly PathRisk[]): string {
  const reasons = explainRisks(risks).map(({ reason, fix }) => `${reason}; to fix this: ${fix}`);
  return `can be changed by other users: ${reasons.join("; ")}; or ${ALLOW_ADVICE}`;
}

/** The same without advice, for a file that is used as it is. */
export function riskWarning(path: string, risks: readonly PathRisk[]): string {
  const reasons = explainRisks(risks).map(({ reason }) => reason);
  return `${path} can be changed by other users: ${reasons.join("; ")}`;
}

/** One reason, and how to fix it, for each owner and group. */
export function explainRisks(risks: readonly PathRisk[]): { reason: string; fix: string }[] {
  const byHolder = new Map<string, PathRisk[]>();
  for (const risk of risks) {
    const key = `${risk.holder} ${risk.id}`;
    byHolder.set(key, [...(byHolder.get(key) ?? []), risk]);
  }
  return [...byHolder.values()].map(explainHolder);
}

function explainHolder(risks: readonly PathRisk[]): { reason: string; fix: string } {
  const [{ holder, id } = { holder: "everybody", id: 0 }] = risks;
  const paths = risks.map((risk) => risk.path);
  const subject = `${paths.join(", ")} ${paths.length > 1 ? "are" : "is"}`;
  if (holder === "everybody") return { reason: `${subject} writable by everybody`, fix: command`chmod o-w ${paths}` };
  if (holder === "group")
    return { reason: `${subject} writable by group ${groupName(id)}`, fix: command`chmod g-w ${paths}` };
  return { reason: `${subject} owned by ${userName(id)}`, fix: "use a file in folders that you own" };
}

/** Name of a user, or their id if the name is unknown. */
export function userName(uid: number): string {
  return nameIn("/etc/passwd", uid) ?? `user ${uid}`;
}

function groupName(gid: number): string {
  return nameIn("/etc/group", gid) ?? String(gid);
}

/** Undefined for a user or group that only another service such as LDAP knows. */
function nameIn(database: string, id: number): string | undefined {
  try {
    const lines = readFileSync(database, "utf8").split("\n");
    return lines.map((line) => line.split(":")).find((fields) => fields[2] === String(id))?.[0];
  } catch {
    return undefined;
  }
}
