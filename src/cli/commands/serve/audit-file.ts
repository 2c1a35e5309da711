import { AppendFile } from "../../../kit/files/append-file.js";
import { looseMode } from "../../../kit/files/owners.js";
import { UsageError } from "../../../kit/text/errors.js";
import { command } from "../../../kit/text/shell.js";
import { AuditLog } from "../../../server/api/audit.js";
import { allowsUnsafeFiles, isSameFile, refuseUnsafeFile } from "../../../tasks/safe-files.js";
import type { Surroundings } from "../../../tasks/surroundings.js";
import type { Log } from "./log.js";

/**
 * Opens the audit log.
 *
 * @param others the server's other files, and the flag that names each
 * @throws UsageError for one of those; InvalidDataError if other users can change the file, or
 *   nothing can be appended to it
 */
export async function openAuditLog(
  path: string,
  others: readonly { text: string | undefined; from: string }[],
  surroundings: Surroundings,
  log: Log,
): Promise<AuditLog> {
  for (const { from, text } of others) {
    if (text !== undefined && (await isSameFile(path, text)))
      throw new UsageError(
        `--audit-log ${path} is the file of ${from}, which its lines would destroy`,
      );
  }
  const unsafe = refuseUnsafeFile(path, surroundings);
  if (unsafe) log("warn", unsafe);
  const mode = looseMode(path);
  if (mode !== undefined)
    log("warn", `others may read ${path} (mode ${mode}); run: ${command`chmod 600 ${path}`}`);
  const { groups, clock } = surroundings;
  const user = allowsUnsafeFiles(surroundings) ? undefined : surroundings.user;
  const file = new AppendFile(path, { user, groups });
  file.open();
  return new AuditLog(file, {
    clock,
    onFailed: (reason) => log("error", `${reason}; reads are answered 503`),
    onRecovered: (lost) =>
      log("info", `${path} can be written again; requests missing in it: ${lost}`),
  });
}
