import type { Command } from "../../arguments/command.js";
import { SOURCE_FLAGS } from "../../arguments/source-flags.js";

/** A help topic. */
export const definition: Command = {
  description:
    "These flags say where a command reads from. All commands that read variables accept them.",
  flags: SOURCE_FLAGS,
  examples: ["appvars get PORT --url https://vars.example --ca-file ca.pem --timeout 3"],
};
