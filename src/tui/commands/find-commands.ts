import { withTypedFilter } from "../browse/list.js";
import { openCommandLine } from "../modes/command-line.js";
import { openFilter } from "../modes/filter.js";
import { type Command, command } from "../state/command.js";
import { step } from "../state/messages.js";
import { chooseSort, chooseType, reverseSort, SORT_CHOICES, TYPE_CHOICES } from "./choose.js";
import { ifListed } from "./conditions.js";

const IN_LIST = { panels: ["variables"] } as const;

const FILTER_HELP =
  "search names and descriptions; letters may be skipped: /durl finds DATABASE_URL. name:port searches names alone; !missing, !encrypted, " +
  "!changed and a type, such as !json or type:json, show only those";

/** The content of the list, and its order. */
export const FIND_COMMANDS: readonly Command[] = [
  command("Find", "filter", "/", FILTER_HELP, {
    ...IN_LIST,
    label: ifListed("filter"),
    argument: "<text>",
    accepts: "text",
    run: (state, text) => (text === "" ? openFilter(state) : step(withTypedFilter(state, text))),
  }),
  command("Find", "find-place", "/", "find a place by its name", {
    panels: ["places"],
    label: "find",
    run: (state) => openCommandLine(state, "open "),
  }),
  command("Find", "type", "t", "show only one type of variable, then the next, then all again", {
    ...IN_LIST,
    label: ifListed("type"),
    argument: "<type>",
    choices: () => TYPE_CHOICES,
    run: chooseType,
  }),
  command("Find", "sort", "s", "sort by id (the order of the source), by name or by type", {
    ...IN_LIST,
    label: ifListed("sort"),
    argument: "<order>",
    choices: () => SORT_CHOICES,
    run: chooseSort,
  }),
  command("Find", "reverse", "S", "reverse the order", { ...IN_LIST, label: undefined, run: reverseSort }),
];
