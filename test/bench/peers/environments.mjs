import { readFileSync } from "node:fs";

/** The parts of a data file that the peers need: by API key, the secret and the values by name. */
export function loadEnvironments(file) {
  const { environments, variables, values } = JSON.parse(readFileSync(file, "utf8"));
  const names = new Map(variables.map(({ id, name }) => [id, name]));
  const loaded = new Map(
    environments.map(({ id, api_secret }) => [id, { secret: api_secret, contents: new Map() }]),
  );
  for (const { environment_id, variable_id, content } of values) {
    loaded.get(environment_id).contents.set(names.get(variable_id), content);
  }
  return new Map(environments.map(({ id, api_key }) => [api_key, loaded.get(id)]));
}
