import { NotFoundError, UsageError } from "../../kit/text/errors.js";
import { suggestion } from "../../kit/text/nearest.js";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../model/environment.js";
import type { Data } from "../../store/data.js";
import type { Settings } from "../settings/resolve-settings.js";

/** The environments that a command changes. By default, `--env` names them. */
export interface EnvironmentChoice {
  /** All environments of the application of {@link chooseApplication}. */
  allEnvs?: boolean | undefined;
  application?: string | undefined;
  /** The names of variables, to find the application. */
  names?: readonly string[];
  /** Whether the variable may be in no application. */
  mayBeNew?: boolean;
}

export type Chosen = readonly [EnvironmentRecord, ...EnvironmentRecord[]];

export function chooseEnvironments(
  data: Data,
  settings: Settings,
  choice: EnvironmentChoice,
): Chosen {
  const { environments } = data;
  if (choice.application !== undefined && !choice.allEnvs)
    throw new UsageError("--application is for --all-envs");
  const application = choice.allEnvs && chooseApplication(data, choice);
  const [first, ...others] = application
    ? environments.filter((environment) => environment.application === application)
    : namedEnvironments(environments, settings);
  if (!first) throw new UsageError(`the application ${application} has no environments`);
  return [first, ...others];
}

function namedEnvironments(
  environments: readonly EnvironmentRecord[],
  settings: Settings,
): Iterable<EnvironmentRecord> {
  const strongest = settings.find("env");
  if (!strongest) return [chooseEnvironment(environments, undefined)];
  const named = new Set<EnvironmentRecord>();
  for (const { name, origin, text } of settings.given)
    if (name === "env" && origin === strongest.origin)
      named.add(findEnvironment(environments, text));
  return named;
}

export function chooseEnvironment(
  environments: readonly EnvironmentRecord[],
  name: string | undefined,
): EnvironmentRecord {
  if (name !== undefined) return findEnvironment(environments, name);
  const [only, ...others] = environments;
  if (only && others.length === 0) return only;
  if (!only)
    throw new UsageError("there are no environments yet: create one with appvars env add NAME");
  const choices = environments.map(qualifiedName).join(", ");
  throw new UsageError(`which environment? add --env with one of ${choices}`);
}

/**
 * Returns the application that `--application` names, or the only one that has
 * one of the variables.
 */
export function chooseApplication(
  { environments, variables }: Data,
  { application, names = [], mayBeNew = false }: EnvironmentChoice,
): string {
  const all = [...new Set([...environments, ...variables].map((record) => record.application))];
  if (application !== undefined && !all.includes(application))
    throw new NotFoundError(
      `there is no application "${application}"${suggestion(application, all)}`,
    );
  const wanted = new Set(names);
  const owners = new Set(
    variables.filter(({ name }) => wanted.has(name)).map((record) => record.application),
  );
  if (owners.size === 0 && !mayBeNew) {
    const [missing = ""] = names;
    const existing = variables.map(({ name }) => name);
    throw new NotFoundError(`there is no variable "${missing}"${suggestion(missing, existing)}`);
  }
  const [only = "", ...others] = owners.size > 0 ? owners : all;
  if (application !== undefined || others.length === 0) return application ?? only;
  const choices = [only, ...others].join(", ");
  throw new UsageError(`which application? add --application with one of ${choices}`);
}
