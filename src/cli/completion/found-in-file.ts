import { findEnvironment, shortestName } from "../../domain/environment.js";
import { type Data, NO_DATA } from "../../store/data.js";
import { DataFileAdapter } from "../../store/data-file.js";
import type { DataPlace } from "../settings/data-place.js";

/** A word to offer, and its description. Both may come from an untrusted server or file. */
export type Found = readonly [word: string, description: string];

/**
 * The variables in local data: of the environment's application, or of all applications.
 *
 * @throws InvalidDataError, NotFoundError, UsageError
 */
export async function findVariables(place: DataPlace, environment: string | undefined): Promise<Found[]> {
  const { environments, variables } = await readData(place);
  const application = environment && findEnvironment(environments, environment).application;
  const found = variables.filter((variable) => application === undefined || variable.application === application);
  return [...new Map(found.map(({ name, description }) => [name, description]))];
}

/** The environments in local data; with their application where the name alone is ambiguous. @throws InvalidDataError */
export async function findEnvironments(place: DataPlace): Promise<Found[]> {
  const { environments } = await readData(place);
  return environments.map((environment) => [shortestName(environment, environments), environment.application]);
}

/** Nothing of a store, which may take long to answer. */
async function readData(place: DataPlace): Promise<Data> {
  return place.kind === "file" ? new DataFileAdapter(place.path).read() : NO_DATA;
}
