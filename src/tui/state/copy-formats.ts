import { EXPORT_FORMATS, type ExportFormat } from "../../formats/formats.js";

/** `name=value` is a line of a `.env` file, and `command` a shell command that prints the value. */
export const SELECTED_FORMATS = ["value", "name=value", "json", "name", "command"] as const;
type SelectedFormat = (typeof SELECTED_FORMATS)[number];

export type CopyFormat = SelectedFormat | ExportFormat;

/** A line of the menu: how to copy the selected variables, or all of the environment. */
export interface CopyItem {
  readonly format: CopyFormat;
  readonly isAll: boolean;
}

export const COPY_ITEMS: readonly CopyItem[] = [
  ...SELECTED_FORMATS.map((format) => ({ format, isAll: false })),
  ...EXPORT_FORMATS.map((format) => ({ format, isAll: true })),
];

export function isSelectedFormat(text: string): text is SelectedFormat {
  return SELECTED_FORMATS.some((format) => format === text);
}

export function isExportFormat(text: string): text is ExportFormat {
  return EXPORT_FORMATS.some((format) => format === text);
}
