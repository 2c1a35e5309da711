import { UsageError } from "../../domain/errors.js";
import type { Message } from "../state/messages.js";
import type { Environments, NewCredentials } from "../state/ports.js";
import { readOnly } from "./opened-places.js";
import { attempt, type Performs, type Shared } from "./performing.js";

interface Options extends Shared {
  /** The names in a folder, as in `Listing`; none if it can't be read. */
  readonly listFolder: (folder: string) => Promise<readonly string[]>;
}

/** Reads and writes files, and changes environments. */
export function transfer(options: Options): Performs<"listFolder" | "import" | "export" | "addEnvironment" | "rotate"> {
  const { places, listFolder } = options;
  const changeEnvironments = (place: number, change: (environments: Environments) => Promise<NewCredentials>) => {
    return attempt(options, async () => {
      const { environments } = await places.open(place);
      if (!environments) throw new UsageError("the environments of a server can't be changed here");
      return { type: "credentials", credentials: await change(environments) };
    });
  };
  return {
    listFolder: ({ folder }) => {
      attempt(options, async () => ({ type: "listed", folder, names: await listFolder(folder) }));
    },
    import: ({ place, file }) => {
      return attempt(options, async (): Promise<Message> => {
        const { editor, importFile } = await places.openToEdit(place);
        if (!importFile) throw readOnly();
        const { assignments, notes } = await importFile(file);
        return { type: "imported", place, file, edit: editor.assign(assignments), notes };
      });
    },
    export: ({ place, file, isReplacing }) => {
      attempt(options, async () => {
        const { exportFile } = await places.open(place);
        return { type: "exported", place, file, outcome: await exportFile(file, isReplacing) };
      });
    },
    addEnvironment: ({ place, name }) => changeEnvironments(place, (environments) => environments.add(name)),
    rotate: ({ place, grace }) => changeEnvironments(place, (environments) => environments.rotate(grace)),
  };
}
