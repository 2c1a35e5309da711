import { type Data, withLastIds } from "../data.js";
import { checkData } from "../schema/parse-data.js";
import { brokenValues, refuseBroken } from "../schema/value-schema.js";
import type { ChangeData } from "../store.js";

/**
 * The data after a change; the same for none. Values that don't change may break a new schema.
 *
 * @throws errors of `change`; InvalidDataError; UsageError with the names of values that break
 *   their schemas
 */
export async function applyChange(data: Data, change: ChangeData): Promise<Data> {
  const changed = await change(data);
  if (changed === data) return data;
  const next = checkData(withLastIds(data, changed), data);
  if (!change.mayBreakSchemas)
    refuseBroken((await brokenValues(data, next)).filter(({ isNew }) => isNew));
  return next;
}
