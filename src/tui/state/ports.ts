import type { ExportFormat, ImportFormat } from "../../formats/formats.js";
import type { NamedKey } from "../../model/environment.js";
import type { RateLimit } from "../../model/http-headers.js";
import type { VariableSource } from "../../model/source.js";
import type { Definition, JsonValue, NamedValue, VariableType } from "../../model/variable.js";

/** One line of the left panel: something with variables that can be opened. */
export interface Place {
  /** `staging`, `shop/development`. */
  readonly name: string;
  /** The application of an environment; for others as `detail`. */
  readonly group: string;
  /** `shop/production`, or the API key, as far as known. */
  readonly identity?: string | undefined;
  readonly kind: "profile" | "environment" | "server";
  /**
   * Where its variables come from: the origin of a server, the path of a file or the URL of a
   * store.
   */
  readonly location: string;
  readonly isServer?: boolean;
  readonly apiKeys?: readonly Pick<NamedKey, "name" | "only">[];
  readonly isSealed?: boolean;
  /** Whether it is sealed and its key is missing. */
  readonly isLocked?: boolean;
  /** Why its variables can't be edited: `vars.json can't be written`. */
  readonly readOnly?: string | undefined;
  /**
   * @throws the errors of opening a source: UsageError, UnauthorizedError, NotFoundError,
   *   InvalidDataError
   */
  open(onRateLimit: (rateLimit: RateLimit) => void): Promise<OpenPlace>;
}

export interface PlacesChange {
  readonly added: readonly Place[];
  /** All known places that no longer exist; they may come back. */
  readonly gone: readonly Place[];
}

/** What a user can do where nothing is configured. */
export interface WelcomeActions {
  /** The default data file, and whether it is in the current folder. */
  readonly dataFile: string;
  readonly hasData: boolean;
  /**
   * Adds the environments of a data file to the places. Resolves to the one to open, and warnings.
   *
   * @throws InvalidDataError
   */
  openData(path: string): Promise<{ readonly place: Place; readonly notes: readonly string[] }>;
  /** Creates that data file with example variables. @throws InvalidDataError */
  createExample(): Promise<void>;
}

export interface OpenPlace {
  /** What opening it has told of the place. */
  readonly facts?: Partial<
    Pick<Place, "identity" | "apiKeys" | "isSealed" | "isLocked" | "readOnly">
  >;
  readonly source: VariableSource;
  /**
   * Returns the same object while nothing has changed; undefined if only reading again can tell.
   */
  readonly version?: (() => object) | undefined;
  /** Undefined for a server. */
  readonly editor: Editor | undefined;
  /** The changes of its data; undefined where none are kept. */
  readonly history?: History | undefined;
  /** What `check` finds: the rules that variables break, as predicates without a value. */
  readonly check?: () => Promise<ReadonlyMap<string, string>>;
  /**
   * The plain value of an encrypted one; any other as it is.
   *
   * @throws DecryptionError without the right key
   */
  decrypt(name: string, value: JsonValue): JsonValue;
  /** A shell command that prints this variable's value. It contains no secret. */
  getCommand(name: string): string;
  /**
   * Writes values to a file that only the user can read. Undefined if it exists and is not to be
   * replaced.
   */
  exportFile(
    file: ExportedFile,
    isReplacing: boolean,
  ): Promise<{ count: number; notes: readonly string[] } | undefined>;
}

export interface NamedFile<F extends string = string> {
  readonly path: string;
  /** By default by the ending of the path. */
  readonly format: F | undefined;
}

/** Any format but `github`, which appends to the file of a CI job and masks its log. */
export interface ExportedFile extends NamedFile<Exclude<ExportFormat, "github">> {
  /** The variables to export, by default all. */
  readonly names?: ReadonlySet<string> | undefined;
}

export interface NewCredentials {
  readonly environment: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Lines that configure a shell. They contain the secret. */
  readonly lines: readonly string[];
}

/**
 * A variable as one environment sees it. All environments of an application share its type and
 * description.
 */
export interface Content extends Readonly<Partial<Definition>> {
  readonly type: VariableType;
  readonly description: string;
  /** Undefined where it has no value. */
  readonly value: JsonValue | undefined;
}

/** The wanted state of a variable; without a value, the one that it has is removed. */
export interface Assignment extends Content {
  readonly name: string;
}

/** A change to one variable; undefined where it doesn't exist. */
export interface Change {
  readonly name: string;
  /**
   * Its name after the change, if that is another one: it has it in all environments of the
   * application.
   */
  readonly newName?: string | undefined;
  readonly before: Content | undefined;
  readonly after: Content | undefined;
}

/** Something for the variables of one environment. */
export interface PerEnvironment<T> {
  /** `shop/test` */
  readonly environment: string;
  readonly changes: readonly T[];
}

export type EnvironmentChanges = PerEnvironment<Change>;

/** The input of a form. */
export interface Draft
  extends Pick<Change, "name" | "newName" | "before">,
    Omit<Content, "value" | "schema"> {
  /** Undefined if the variable keeps the value that it has, or stays without one. */
  readonly value: string | undefined;
  /** JSON; `""` for none. */
  readonly schema: string;
}

/**
 * Changes the variables of an environment, and of others of the same data. Nothing is written
 * before `apply`.
 */
export interface VariableEditor {
  /** The file or the store: editors with the same one write together. */
  readonly store: string;
  /** `shop/test` */
  readonly environment: string;
  /**
   * The changes for the input of a form, in these environments, by default its own. Fields that the
   * draft leaves as `before` keep changes of other programs.
   *
   * @throws UsageError if the input is invalid or breaks the schema, without quoting the value;
   *   NotFoundError
   */
  prepare(draft: Draft, environments?: readonly string[]): Promise<readonly EnvironmentChanges[]>;
  /**
   * The changes that assign this to variables, of which those that exist keep all but value and
   * type. One that is left without a value in all environments is removed.
   *
   * @throws as `prepare`
   */
  assign(wanted: readonly PerEnvironment<Assignment>[]): Promise<readonly EnvironmentChanges[]>;
  /**
   * Writes all of these changes or none.
   *
   * @param command what the history calls this write, by default the command of the program
   * @throws ChangedMeanwhileError if `before` is not true any more; InvalidDataError
   */
  apply(changes: readonly EnvironmentChanges[], command?: string): Promise<void>;
}

/** What can be changed in a data file or a store. */
export interface Editor extends VariableEditor {
  /** Reads a file of variables for `assign`. @throws UsageError that quotes no value */
  importFile(
    file: NamedFile<ImportFormat>,
  ): Promise<{ readonly assignments: readonly Assignment[]; readonly notes: readonly string[] }>;
  /** @param name `shop/staging`, or `staging` for the application of this environment */
  addEnvironment(name: string): Promise<NewCredentials>;
  /** @param grace how long the old credentials stay valid: `24h`; `""` for not at all */
  rotate(grace: string): Promise<NewCredentials>;
}

/** One write by anyone, limited to the application of the place. */
export interface HistoryEntry {
  readonly id: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** `ana@laptop` */
  readonly actor: string;
  readonly command: string;
  /**
   * A definition alone belongs to all environments, and is among the changes of the place's own.
   */
  readonly parts: readonly EnvironmentChanges[];
  /**
   * Whether it has also changed what can't be undone here: environments, keys or other
   * applications.
   */
  readonly hasMore: boolean;
}

export interface History {
  /** The newest `limit` entries that are wanted, newest first. */
  read(isWanted: (entry: HistoryEntry) => boolean, limit: number): Promise<readonly HistoryEntry[]>;
  /**
   * The newest entry that is wanted and has an effect to take back in one of these environments,
   * and the changes that do so; undefined if none of the newest ones has.
   */
  undo(
    isWanted: (entry: HistoryEntry) => boolean,
  ): Promise<
    { readonly entry: HistoryEntry; readonly changes: readonly EnvironmentChanges[] } | undefined
  >;
  /**
   * The changes that bring back what the place had before an entry.
   *
   * @param name only that variable
   */
  rollBack(id: number, name?: string): Promise<readonly EnvironmentChanges[]>;
}

export type CopyOutcome =
  | { readonly kind: "clipboard" }
  /**
   * The terminal was asked to copy it (OSC 52) and doesn't confirm; `reason` is why no other way
   * worked.
   */
  | { readonly kind: "terminal"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

export type Copy = (text: string) => Promise<CopyOutcome>;

/**
 * Writes values as `export` does.
 *
 * @throws UsageError if the format can't hold one, or if all are left out
 */
export type WriteValues = (
  format: ExportFormat,
  values: readonly NamedValue[],
  options: Pick<OpenPlace, "decrypt"> & { readonly allowReserved: boolean },
) => Promise<Written>;

export interface Written {
  readonly text: string;
  /** Reserved names, which are not in it. */
  readonly leftOut?: readonly string[];
  readonly note?: string | undefined;
}

/**
 * Opens a text in the user's own editor, which has the terminal meanwhile. Resolves to the saved
 * text.
 */
export type OpenInEditor = (
  text: string,
  file: { readonly name: string; readonly isJson: boolean },
) => Promise<string>;

export type Purpose = "add" | "edit" | "delete" | "copy" | "import" | "undo" | "redo" | "rollback";
