import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { DataFileAdapter } from "../../store/data-file.js";

/** A word to offer, and its description. Both may come from an untrusted server or file. */
export type Found = readonly [word: string, description: string];

/**
 * The variables in a data file: of the environment's application, or of all applications.
 *
 * @throws InvalidDataError, NotFoundError, UsageError
 */
export async function findVariables(path: string, environment: string | undefined): Promise<Found[]> {
  const { environments, variables } = await new DataFileAdapter(path).read();
  const application = environment && findEnvironment(environments, environment).application;
  const found = variables.filter((variable) => application === undefined || variable.application === application);
  return [...new Map(found.map(({ name, description }) => [name, description]))];
}

/** The environments in a data file; with their application where the name alone is ambiguous. @throws InvalidDataError */
export async function findEnvironments(path: string): Promise<Found[]> {
  const { environments } = await new DataFileAdapter(path).read();
  return environments.map((environment) => [shortestName(environment, environments), environment.application]);
}

function shortestName(environment: EnvironmentRecord, all: readonly EnvironmentRecord[]): string {
  const isUnique = all.filter(({ name }) => name === environment.name).length === 1;
  return isUnique ? environment.name : qualifiedName(environment);
}
