import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../domain/environment.js";
import { UsageError } from "../domain/errors.js";

/**
 * The environment that `--env` names, or the only one that there is.
 *
 * @throws NotFoundError, UsageError when it is ambiguous or has to be named
 */
export function chooseEnvironment(
  environments: readonly EnvironmentRecord[],
  name: string | undefined,
): EnvironmentRecord {
  if (name !== undefined) return findEnvironment(environments, name);
  const [only, ...others] = environments;
  if (only && others.length === 0) return only;
  if (!only) throw new UsageError("the data file has no environment yet: appvars env add NAME makes one");
  const choices = environments.map(qualifiedName).join(", ");
  throw new UsageError(`which environment? add --env with one of ${choices}`);
}
