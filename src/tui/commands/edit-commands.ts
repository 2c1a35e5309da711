import { deleteValues } from "../edit/confirm.js";
import { openEditor } from "../edit/external-editor.js";
import { openForm } from "../edit/form.js";
import { confirmRedo, confirmUndo, whyNoRedo, whyNoUndo } from "../edit/undo.js";
import { type Command, command } from "../state/command.js";
import { ON_VARIABLE, onEntry, onTargets, whyNoEntry, whyNoTarget, whyNotEdit } from "./conditions.js";

/** Edits of the open place, and of any the way back. */
export const EDIT_COMMANDS: readonly Command[] = [
  command("Edit", "edit", "e", "change the type, the value and the description", {
    ...ON_VARIABLE,
    disabledReason: (state) => whyNotEdit(state) ?? whyNoEntry(state),
    run: onEntry((state, entry) => openForm(state, "edit", entry)),
  }),
  command("Edit", "editor", "E", "edit the value in $VISUAL or $EDITOR", {
    ...ON_VARIABLE,
    label: undefined,
    disabledReason: (state) => whyNotEdit(state) ?? whyNoEntry(state),
    run: onEntry(openEditor),
  }),
  command("Edit", "add", "a", "add a variable", {
    ...ON_VARIABLE,
    disabledReason: whyNotEdit,
    run: (state) => openForm(state, "add"),
  }),
  command("Edit", "delete", "x", "delete the value from this environment", {
    ...ON_VARIABLE,
    disabledReason: (state) => whyNotEdit(state) ?? whyNoTarget(state),
    run: onTargets(deleteValues),
  }),
  command("Edit", "undo", "u", "undo the last edit of this session, in any place; repeat for earlier ones", {
    disabledReason: whyNoUndo,
    run: confirmUndo,
  }),
  command("Edit", "redo", "U", "redo the edit that was undone last; repeat for later ones", {
    label: undefined,
    disabledReason: whyNoRedo,
    run: confirmRedo,
  }),
];
