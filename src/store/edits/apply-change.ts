import { type Data, withLastIds } from "../data.js";
import { checkData } from "../schema/parse-data.js";
import { brokenValues, refuseBroken } from "../schema/value-schema.js";
import type { ChangeData, UpdateOptions } from "../store.js";

/**
 * Returns the checked data after a change, or the same data for none. Values
 * that don't change may break a new schema.
 *
 * @throws the errors of `change`; InvalidDataError; UsageError as
 *   `refuseBroken`
 */
export async function applyChange(
  data: Data,
  change: ChangeData,
  { mayBreakSchemas }: Pick<UpdateOptions, "mayBreakSchemas"> = {},
): Promise<Data> {
  const changed = await change(data);
  if (changed === data) return data;
  const next = checkData(withLastIds(data, changed), data);
  const hasSchemas = next.variables.some(({ schema }) => schema);
  if (hasSchemas && !mayBreakSchemas)
    refuseBroken((await brokenValues(data, next)).filter(({ isNew }) => isNew));
  return next;
}
