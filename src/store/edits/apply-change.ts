import { type Data, withLastIds } from "../data.js";
import { checkData } from "../schema/parse-data.js";
import { brokenValues, refuseBroken } from "../schema/value-schema.js";
import type { ChangeData, UpdateOptions } from "../store.js";

/**
 * Returns the data after a change, or the same data for none. Values that don't change may break a
 * new schema.
 *
 * @throws errors of `change`; InvalidDataError; UsageError with the names of values that break
 *   their schemas
 */
export async function applyChange(
  data: Data,
  change: ChangeData,
  { mayBreakSchemas }: Pick<UpdateOptions, "mayBreakSchemas"> = {},
): Promise<Data> {
  const changed = await change(data);
  if (changed === data) return data;
  const next = checkData(withLastIds(data, changed), data);
  if (!mayBreakSchemas) refuseBroken((await brokenValues(data, next)).filter(({ isNew }) => isNew));
  return next;
}
