import { findEnvironment } from "../../model/environment.js";
import type { Data } from "../../store/data.js";
import { setValues } from "../../store/edits/edit-values.js";
import { starterData } from "../../store/memory/starter-data.js";
import type { Caller } from "../surroundings.js";
import { readImport, typeEntries } from "./read-import.js";

interface NewData {
  /** Imported into `env`; `-` for stdin. */
  from: string | undefined;
  env: string;
  examples: boolean;
}

export async function newData(
  { from, env, examples }: NewData,
  { surroundings, note }: Caller,
): Promise<Data> {
  const data = starterData({ examples });
  if (from === undefined) return data;
  const imported = await readImport({ file: from }, surroundings, note);
  const environment = findEnvironment(data.environments, env);
  return setValues(data, environment, typeEntries(imported, data, environment, note));
}
