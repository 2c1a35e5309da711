import type { RateLimit } from "../../domain/http-headers.js";
import type { VariableSource } from "../../domain/source.js";
import type { Definition, JsonValue, NamedValue, VariableType } from "../../domain/variable.js";
import type { ExportFormat, ImportFormat } from "../../formats/formats.js";

/** One line of the left panel: something with variables that can be opened. */
export interface Place {
  /** `staging`, `shop/development`. */
  readonly name: string;
  /** The application of an environment; for others the origin of the server, the path of the file or the URL of the store. */
  readonly group: string;
  /** The name of the environment there, as far as known: `shop/production`, or the API key. */
  readonly identity?: string | undefined;
  readonly kind: "profile" | "environment" | "server";
  /** Where its variables come from: the origin of a server or the path of a data file. */
  readonly detail: string;
  /** @throws the errors of opening a source: UsageError, UnauthorizedError, NotFoundError, InvalidDataError */
  open(onRateLimit: (rateLimit: RateLimit) => void): Promise<OpenPlace>;
}

export interface PlacesChange {
  readonly added: readonly Place[];
  /** All of those known that are not there now; they may come back. */
  readonly gone: readonly Place[];
}

/** What a person can do where nothing is configured. */
export interface FirstSteps {
  /** The name of the data file that is used by default, and whether it is in the current folder. */
  readonly dataFile: string;
  readonly hasData: boolean;
  /** Adds the environments of a data file to the places. @throws InvalidDataError */
  openData(path: string): Promise<FirstData>;
  /** Creates that data file with example variables. @throws InvalidDataError */
  createExample(): Promise<void>;
}

export interface FirstData {
  /** The place to open. */
  readonly place: Place;
  /** Warnings about the file. */
  readonly notes: readonly string[];
}

export interface OpenPlace {
  /** As that of the place; undefined if opening it has told no more. */
  readonly identity?: string;
  readonly source: VariableSource;
  /** Returns the same object while nothing has changed; undefined if only reading again can tell. */
  readonly version?: (() => object) | undefined;
  readonly editor: Editor | undefined;
  /** The plain value of an encrypted one; any other as it is. @throws DecryptionError without the right key */
  decrypt(name: string, value: JsonValue): JsonValue;
  /** A shell command that prints this variable's value. It contains no secret. */
  getCommand(name: string): string;
  /**
   * Writes values to a file that only the user can read.
   * @param isReplacing whether a file that exists may be replaced
   * @throws UsageError, InvalidDataError, DecryptionError and the errors of reading the source
   */
  exportFile(file: ExportedFile, isReplacing: boolean): Promise<Exported>;
  /** Reads a file to import; undefined where nothing can be edited. @throws UsageError that quotes no value */
  readonly importFile?: ((file: ImportedFile) => Promise<Imported>) | undefined;
  /** Undefined for a server, which does not let its environments be changed. */
  readonly environments?: Environments | undefined;
}

/** A file as the person has named it. */
export interface NamedFile<F extends string = string> {
  readonly path: string;
  /** By default by the ending of the path. */
  readonly format: F | undefined;
}

/** A tool is the format that it prints. */
export type ImportedFile = NamedFile<ImportFormat>;

/** Without the format that appends to the file of a CI job, and prints masks for its log. */
export interface ExportedFile extends NamedFile<Exclude<ExportFormat, "github">> {
  /** The variables to export, by default all. */
  readonly names?: ReadonlySet<string> | undefined;
}

export interface Imported {
  readonly assignments: readonly Assignment[];
  /** Notes about the file. */
  readonly notes: readonly string[];
}

export type Exported =
  | { readonly kind: "written"; readonly count: number; readonly notes: readonly string[] }
  /** There is such a file, and it is unchanged. */
  | { readonly kind: "exists" };

/** Changes the environments of a data file or a store. Each method throws UsageError, NotFoundError or InvalidDataError. */
export interface Environments {
  /** @param name `shop/staging`, or `staging` for the application of this environment */
  add(name: string): Promise<NewCredentials>;
  /** Gives this environment new credentials. @param grace how long the old ones stay valid: `24h`; `""` for not at all */
  rotate(grace: string): Promise<NewCredentials>;
}

export interface NewCredentials {
  readonly environment: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Lines that configure a shell. They contain the secret. */
  readonly lines: readonly string[];
}

/** A variable as one environment sees it. All environments of an application share its type and description. */
export interface Assigned extends Readonly<Partial<Definition>> {
  readonly type: VariableType;
  readonly description: string;
  /** Undefined where it has no value. */
  readonly value: JsonValue | undefined;
}

/** The wanted state of a variable; without a value, the one that it has is removed. */
export interface Assignment extends Assigned {
  readonly name: string;
}

/** A change to one variable; undefined where it doesn't exist. With `before` and `after` swapped it is its own undo. */
export interface Change {
  readonly name: string;
  readonly before: Assigned | undefined;
  readonly after: Assigned | undefined;
}

/** Changes to variables of one environment, which are written together or not at all. */
export interface Edit {
  readonly changes: readonly Change[];
}

/** The input of a form. */
export interface Draft extends Pick<Change, "name" | "before">, Pick<Assigned, "type" | "description"> {
  /** Undefined if the variable keeps the value that it has, or stays without one. */
  readonly value: string | undefined;
}

export interface Editor {
  /**
   * The edit for the input of a form. Fields that the draft leaves as `before` keep changes of other programs; a draft
   * that changes nothing at all restores the variable. A value that was encrypted is encrypted again.
   * @throws UsageError if the input is invalid, without quoting the value; NotFoundError if the environment is gone
   */
  prepare(draft: Draft): Edit;
  /**
   * The edit that assigns this to variables, from their present state. A value is encrypted if the replaced
   * one is. A variable that exists keeps its description; one left without a value in all environments is removed.
   * @throws UsageError if a value can't be assigned, without quoting it; NotFoundError if the environment is gone
   */
  assign(assignments: readonly Assignment[]): Edit;
  /**
   * The edit as it would be now: whether a variable is removed with its value depends on the other environments. A change
   * of a variable that differs from `before` is left to `apply` to refuse.
   */
  renew(edit: Edit): Edit;
  /**
   * Writes the edit atomically, or changes nothing and throws.
   * @throws ChangedMeanwhileError if the data no longer matches `before` of a change; NotFoundError if the environment is gone; UsageError if the data can't be like that;
   *   InvalidDataError if the file can't be written
   */
  apply(edit: Edit): Promise<void>;
}

export type CopyOutcome =
  | { readonly kind: "clipboard" }
  /** The terminal was asked to copy it (OSC 52) and doesn't confirm; `reason` is why no other way worked. */
  | { readonly kind: "terminal"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

export type Copy = (text: string) => Promise<CopyOutcome>;

/**
 * Writes values as `appvars export` does.
 *
 * @param options `allowReserved`: whether reserved names are kept where they take effect
 * @throws UsageError for a value that the format can't hold, or if all names are left out; DecryptionError
 */
export type WriteValues = (
  format: ExportFormat,
  values: readonly NamedValue[],
  options: Pick<OpenPlace, "decrypt"> & { readonly allowReserved: boolean },
) => Promise<Written>;

export interface Written {
  readonly text: string;
  /** Names whose values are not in it. */
  readonly leftOut?: readonly string[];
  /** A note about it, such as these names. */
  readonly note?: string | undefined;
}

/**
 * Opens a text in the person's own editor, which has the terminal until it ends. Resolves to the saved text.
 *
 * @param file the name of the file, and whether it is JSON
 * @throws UsageError if the editor failed or its file can't be used; InvalidDataError
 */
export type EditText = (text: string, file: { readonly name: string; readonly isJson: boolean }) => Promise<string>;

export type EditPurpose = "add" | "edit" | "delete" | "copy-to" | "import";
export type Purpose = EditPurpose | "undo" | "redo";
