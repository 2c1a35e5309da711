import type { ExportFormat, ImportFormat } from "../../formats/formats.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import type { NamedKey } from "../../model/environment.js";
import type { RateLimit } from "../../model/reads/http-headers.js";
import type { VariableSource } from "../../model/reads/read.js";
import type { NamedValue } from "../../model/variable.js";
import type {
  EnvironmentChanges,
  HistoryEntry,
  PerEnvironment,
  VariableChange,
  VariableState,
  WantedValue,
} from "../../model/variable-change.js";

/** A source of variables: one line of the left panel. */
export interface Place {
  /** `staging`, or `shop/development`. */
  readonly name: string;
  /** The application of an environment, or the location of any other place. */
  readonly group: string;
  /** `shop/production`, or the API key. */
  readonly identity?: string | undefined;
  readonly kind: "profile" | "environment" | "server";
  /** The origin of a server, the path of a file, or the URL of a store. */
  readonly location: string;
  readonly isServer?: boolean;
  readonly apiKeys?: readonly Pick<NamedKey, "name" | "only">[];
  readonly isSealed?: boolean;
  /** Whether the place is sealed and the key is missing. */
  readonly isLocked?: boolean;
  /** Why the variables can't be edited, such as `vars.json can't be written`. */
  readonly readOnly?: string | undefined;
  /**
   * @throws the errors of opening a source: UsageError, UnauthorizedError,
   *   NotFoundError, InvalidDataError
   */
  open(onRateLimit: (rateLimit: RateLimit) => void): Promise<OpenPlace>;
}

export interface PlacesChange {
  readonly added: readonly Place[];
  /** All places that don't exist now. They may come back. */
  readonly gone: readonly Place[];
}

/** The choices when nothing is configured. */
export interface WelcomeActions {
  /** The default data file. */
  readonly dataFile: string;
  readonly hasData: boolean;
  /**
   * Lists the environments of a data file, and resolves to the one to open.
   *
   * @throws InvalidDataError
   */
  openData(path: string): Promise<{ readonly place: Place; readonly notes: readonly string[] }>;
  /**
   * Creates the default data file with example variables.
   *
   * @throws InvalidDataError
   */
  createExample(): Promise<void>;
}

export interface Places {
  readonly places: readonly Place[];
  /** The index of the place to open. */
  readonly place: number;
  /** What to offer if nothing is configured. */
  readonly welcome?: Omit<WelcomeActions, "createExample">;
  /** Calls `listener` when places may have been added or removed. */
  follow?(listener: (change: PlacesChange) => void): void;
  /** Releases the shared resources of the places. */
  close(): Promise<void>;
}

export interface OpenPlace {
  /** Facts that are known once the place is open. */
  readonly facts?: Partial<
    Pick<Place, "identity" | "apiKeys" | "isSealed" | "isLocked" | "readOnly">
  >;
  readonly source: VariableSource;
  /**
   * Returns the same object until something changes. `undefined` if a change
   * is found only by reading.
   */
  readonly version?: (() => object) | undefined;
  /** `undefined` for a server. */
  readonly editor: Editor | undefined;
  /** `undefined` if no history is kept. */
  readonly history?: PlaceHistory | undefined;
  /**
   * Finds broken rules as `appvars check` does: a phrase without a value, by
   * name.
   */
  readonly check?: () => Promise<ReadonlyMap<string, string>>;
  /**
   * Decrypts an encrypted value, and returns any other unchanged.
   *
   * @throws DecryptionError without the right key
   */
  decrypt(name: string, value: JsonValue): JsonValue;
  /** Returns a shell command that prints a value, without secrets. */
  getCommand(name: string): string;
  /**
   * Writes a file that only the user can read. Resolves to `undefined` if it
   * exists and `isReplacing` is false.
   */
  exportFile(
    file: ExportedFile,
    isReplacing: boolean,
  ): Promise<{ count: number; notes: readonly string[] } | undefined>;
}

export interface ChosenFile<F extends string = string> {
  readonly path: string;
  /** The default is the format of the extension. */
  readonly format: F | undefined;
}

/**
 * A file to export. `github` is no file format: it appends to a CI job's file,
 * and masks its log.
 */
export interface ExportedFile extends ChosenFile<Exclude<ExportFormat, "github">> {
  /** Default: all variables. */
  readonly names?: ReadonlySet<string> | undefined;
}

export interface NewCredentials {
  readonly environment: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Lines that configure a shell, with the secret. */
  readonly lines: readonly string[];
}

/** The input of a form. */
export interface Draft
  extends Pick<VariableChange, "name" | "newName" | "before">,
    Omit<VariableState, "value" | "schema"> {
  /** `undefined` to keep the current value, or none. */
  readonly value: string | undefined;
  /** JSON, or `""` for no schema. */
  readonly schema: string;
}

/**
 * Changes variables of an environment, and of others in the same data. Only
 * `apply` writes.
 */
export interface VariableEditor {
  /** The file or store. Editors of the same one write together. */
  readonly store: string;
  /** `shop/test` */
  readonly environment: string;
  /**
   * Returns the changes for the input of a form. Fields that the user did not
   * edit keep changes by other programs.
   *
   * @param environments default: its own
   * @throws UsageError if the input is invalid or breaks the schema, without
   *   quoting the value; NotFoundError
   */
  prepare(draft: Draft, environments?: readonly string[]): Promise<readonly EnvironmentChanges[]>;
  /**
   * Returns the changes that assign values. An existing variable keeps
   * everything but its value and type; one without a value anywhere is removed.
   *
   * @throws the errors of `prepare`
   */
  assign(wanted: readonly PerEnvironment<WantedValue>[]): Promise<readonly EnvironmentChanges[]>;
  /**
   * Writes all changes or none.
   *
   * @param command default: the command of the program, for the history
   * @throws ConcurrentChangeError if a variable is no longer as in `before`;
   *   InvalidDataError
   */
  apply(changes: readonly EnvironmentChanges[], command?: string): Promise<void>;
}

/** Edits a data file or a store. */
export interface Editor extends VariableEditor {
  /**
   * Reads a file of variables for `assign`.
   *
   * @throws UsageError without values in its message
   */
  importFile(
    file: ChosenFile<ImportFormat>,
  ): Promise<{ readonly assignments: readonly WantedValue[]; readonly notes: readonly string[] }>;
  /**
   * @param name `shop/staging`, or `staging` in the application of this
   *   environment
   */
  addEnvironment(name: string): Promise<NewCredentials>;
  /**
   * @param grace how long the old credentials stay valid, such as `24h`, or
   *   `""` to revoke them immediately
   */
  rotate(grace: string): Promise<NewCredentials>;
}

export interface PlaceHistory {
  /**
   * Reads up to `limit` entries for which `isWanted` returns true, newest
   * first.
   */
  read(isWanted: (entry: HistoryEntry) => boolean, limit: number): Promise<readonly HistoryEntry[]>;
  /**
   * Finds the newest wanted entry that still has an effect, and the changes
   * that undo it.
   */
  undo(
    isWanted: (entry: HistoryEntry) => boolean,
  ): Promise<
    { readonly entry: HistoryEntry; readonly changes: readonly EnvironmentChanges[] } | undefined
  >;
  /**
   * Returns the changes that restore the state before an entry.
   *
   * @param name only restore this variable
   */
  rollBack(id: number, name?: string): Promise<readonly EnvironmentChanges[]>;
}

export type CopyOutcome =
  | { readonly kind: "clipboard" }
  /**
   * The terminal was asked to copy the text (OSC 52), and does not confirm it.
   * `reason` says why no program could.
   */
  | { readonly kind: "terminal"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

export type Copy = (text: string) => Promise<CopyOutcome>;

/**
 * Writes values as `export` does.
 *
 * @throws UsageError if the format can't represent a value, or if all values
 *   are left out
 */
export type WriteValues = (
  format: ExportFormat,
  values: readonly NamedValue[],
  options: Pick<OpenPlace, "decrypt"> & { readonly allowReserved: boolean },
) => Promise<WrittenText>;

export interface WrittenText {
  readonly text: string;
  /** The reserved names that were left out. */
  readonly leftOut?: readonly string[];
  readonly note?: string | undefined;
}

/**
 * Opens a string in the user's editor, on the terminal. Resolves to the saved
 * text.
 */
export type OpenInEditor = (
  text: string,
  file: { readonly name: string; readonly isJson: boolean },
) => Promise<string>;
