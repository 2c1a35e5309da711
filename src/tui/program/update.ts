import { ALL_COMMANDS } from "../commands/table.js";
import { exported, imported } from "../commands/transfer.js";
import { formKey, notPrepared, prepared, quit, textEdited, valueEdited } from "../edit/form.js";
import { applied, notApplied } from "../edit/outcome.js";
import { assigned, confirmKey, expireConfirmation, renewed } from "../edit/review.js";
import { failed, loaded, loadWhenDue, openPlace, progressed, withLoaded } from "../reading/loading.js";
import {
  lookElsewhere,
  lookedUp,
  otherRead,
  placesBeingRead,
  placesChanged,
  refreshOthers,
} from "../reading/others.js";
import { decrypted, decryptSelected, expireRevealed } from "../reading/reveal.js";
import { cursorInView, relist, selectedEntry } from "../reading/selection.js";
import { commandKey, listed } from "../screens/command-line.js";
import { copyKey } from "../screens/copy.js";
import { compared, comparedAgain, diffKey, notCompared, openDiff, readAfterEdit } from "../screens/diff.js";
import { helpKey } from "../screens/help.js";
import { filterKey } from "../screens/list.js";
import { matrixKey } from "../screens/matrix.js";
import { pickKey, takeOver } from "../screens/places.js";
import { actsIn, type Command, keyOf } from "../state/command.js";
import { type Effect, isAwaited } from "../state/effects.js";
import { isTooSmall } from "../state/layout.js";
import { type Message, type Step, step } from "../state/messages.js";
import { isQuitQuestion, type Mode } from "../state/modes.js";
import { withHealth } from "../state/places.js";
import { notify, type State } from "../state/state.js";
import { askKey, credentialsKey, showCredentials } from "../view/question.js";
import { commandKeyName, GLOBAL_KEYS, type Key } from "../widgets/key.js";
import { handleMouse } from "./mouse.js";

type Handlers = {
  readonly [T in Message["type"]]: (
    state: State,
    message: Extract<Message, { type: T }>,
    commands: readonly Command[],
  ) => Step;
};

const HANDLERS: Handlers = {
  key: (state, { key }, commands) => pressed(state, key, commands),
  mouse: (state, { mouse, now }, commands) =>
    handleMouse(state, mouse, now, commands, (before, key) => pressed(before, key, commands)),
  resize: (state, { columns, rows }) => step(cursorInView({ ...state, columns, rows })),
  tick: (state, { now }) => loadWhenDue(expire({ ...state, now })),
  opened: (state, { isEditable, identity }) => identified(withLoaded(state, { isEditable }), identity),
  progress: (state, { entries, total }) => step(progressed(state, entries, total)),
  loaded: (state, reading) => decryptSelected(comparedAgain(loaded(state, reading))),
  failed: (state, { failure, now }) => step(failed(state, failure, now)),
  rateLimit: (state, { rateLimit }) => step(withLoaded(state, { rateLimit })),
  decrypted: (state, { sealed, text }) => step(decrypted(state, sealed, text)),
  notDecrypted: (state, { failure }) => step(notify(state, failure.message, "error")),
  copied: (state, message) => step(copied(state, message)),
  valueEdited: (state, { place, entry, text }) => valueEdited(state, place, entry, text),
  textEdited: (state, { text }) => step(textEdited(state, text)),
  prepared: (state, { edit, text }) => step(prepared(state, edit, text)),
  assigned: (state, { place, purpose, edit }) => step(assigned(state, purpose, place, edit)),
  renewed: (state, { edit, now }) => step(renewed(state, edit, now)),
  imported: (state, message) => step(imported(state, message)),
  notPrepared: (state, { name, failure }) => step(notPrepared(state, name, failure)),
  applied: (state) => readAfterEdit(state, applied(state)),
  notApplied: (state, { failure }) => notApplied(state, failure),
  refused: (state, { failure }) => step(notify(state, failure.message, "error")),
  compared: (state, { place, entries, isEditable, asOf }) =>
    step(compared(withHealth(state, place, "ok"), place, entries, isEditable, asOf)),
  notCompared: (state, { place, failure }) => step(notCompared(withHealth(state, place, "failed"), place, failure)),
  otherRead: (state, { place, type: _, ...outcome }) =>
    step(otherRead(withHealth(state, place, outcome.failure ? "failed" : "ok"), place, outcome)),
  lookedUp: (state, { name, values }) => step(lookedUp(state, { name, values })),
  listed: (state, listing) => step(listed(state, listing)),
  exported,
  credentials: (state, { credentials }) => step(showCredentials(state, credentials)),
  placesChanged: (state, { added, gone }) => placesChanged(state, added, gone),
  done: (state, { effect }) => step(state.pending === effect ? { ...state, pending: undefined } : state),
};

/** Handles a message. Late messages about an earlier read are dropped. @param commands those of browse mode */
export function update(state: State, message: Message, commands: readonly Command[] = ALL_COMMANDS): Step {
  if ("generation" in message && message.generation !== state.loaded.generation) return step(state);
  if (isIgnored(state, message)) return step(state);
  const handle = HANDLERS[message.type] as (state: State, message: Message, commands: readonly Command[]) => Step;
  const [next, effects] = handle(state, message, commands);
  const isEntered = next.mode.kind !== state.mode.kind && next.mode.kind !== "browse";
  // An older notice would hide the keys of the new mode.
  const shown: State = isEntered && next.notice === state.notice ? { ...next, notice: undefined } : next;
  return followed(state, message, [withPending(shown, effects), effects]);
}

function withPending(state: State, effects: readonly Effect[]): State {
  const pending = effects.find(isAwaited);
  return pending ? { ...state, pending } : state;
}

/** Keys and the mouse are ignored while nothing is shown or a question is coming. */
function isIgnored(state: State, message: Message): boolean {
  if (message.type !== "key" && message.type !== "mouse") return false;
  const key = message.type === "key" ? message.key.name : "";
  if (isTooSmall(state)) return key !== "ctrl-c";
  return state.pending !== undefined && !isQuitQuestion(state.mode) && !GLOBAL_EFFECTS.has(key);
}

/** The data of other places follows the cursor, our edits and, once a second, changes by others. */
function followed(before: State, message: Message, [state, effects]: Step): Step {
  const isLook = message.type === "loaded" || message.type === "applied";
  const [next, reads] = isLook ? refreshOthers(state) : step(state);
  // The message is their outcome.
  const isRead = message.type === "otherRead" || message.type === "compared" || message.type === "notCompared";
  const places = isRead ? [] : placesBeingRead(before).filter((place) => !placesBeingRead(next).includes(place));
  const stops: readonly Effect[] = places.length > 0 ? [{ type: "stopReading", places }] : [];
  const isMoved = selectedEntry(next)?.variable !== selectedEntry(before)?.variable;
  const looks = isLook || isMoved ? lookElsewhere(next) : [];
  return [next, [...stops, ...effects, ...reads, ...looks]];
}

type KeyHandlers = {
  readonly [K in Mode["kind"]]: (
    state: State,
    mode: Extract<Mode, { kind: K }>,
    key: Key,
    commands: readonly Command[],
  ) => Step;
};

const KEY_HANDLERS: KeyHandlers = {
  browse: (state, _mode, key, commands) => browseKey(state, key, commands),
  filter: filterKey,
  command: commandKey,
  help: helpKey,
  pick: (state, mode, key) => {
    const { purpose } = mode;
    return pickKey(state, mode, key, (from, place) =>
      purpose.kind === "compare" ? openDiff(from, place) : takeOver(from, purpose.entries, place),
    );
  },
  copy: copyKey,
  diff: diffKey,
  matrix: matrixKey,
  form: formKey,
  confirm: confirmKey,
  ask: askKey,
  credentials: credentialsKey,
};

const GLOBAL_EFFECTS: ReadonlyMap<string, Effect> = new Map(
  GLOBAL_KEYS.map(({ key, effect }) => [key, { type: effect }]),
);

/** The mode handles the key, except those that work in every mode. */
function pressed(state: State, key: Key, commands: readonly Command[]): Step {
  const { mode } = state;
  if (key.name === "ctrl-c") return quit(state);
  const effect = GLOBAL_EFFECTS.get(key.name);
  if (effect) return step(state, effect);
  const handle = KEY_HANDLERS[mode.kind] as (state: State, mode: Mode, key: Key, commands: readonly Command[]) => Step;
  const [next, effects] = handle(state, mode, key, commands);
  return [comparedAgain(next), effects];
}

const PANEL_TEXTS = { places: "list of places", variables: "list of variables", record: "record" } as const;

/** Runs the command of a key in the focused panel, or shows why it can't run now. */
function browseKey(state: State, key: Key, all: readonly Command[]): Step {
  const name = commandKeyName(key);
  const commands = all.filter(({ keys }) => keys.includes(name));
  const [first] = commands;
  if (!first) return step(state);
  const command = commands.find((each) => actsIn(each, state.focus));
  if (!command) {
    const text = `"${first.name}" doesn't work in the ${PANEL_TEXTS[state.focus]}; ${keyOf(state, "back")} goes to the variables`;
    return step(notify(state, text));
  }
  const reason = command.disabledReason?.(state);
  return reason === undefined ? command.run(state, "") : step(notify(state, reason, "error"));
}

/** Sets the identity of a place, which some have only once they are open. A gone place listed anew is opened there. */
function identified(state: State, identity: string | undefined): Step {
  const open = state.places[state.place];
  if (!open || identity === undefined || open.identity === identity) return step(state);
  const listed = state.places.findIndex((each) => each.identity === identity && !each.isGone);
  if (open.isGone && listed >= 0) return openPlace(state, listed);
  return step({ ...state, places: state.places.with(state.place, { ...open, identity }) });
}

/** Removes notices and values whose time is over. */
function expire(state: State): State {
  const { now, recentChanges, notice } = state;
  const isOver = (item: { until: number } | undefined) => item !== undefined && item.until <= now;
  const next: State = {
    ...expireConfirmation(expireRevealed(state)),
    recentChanges: isOver(recentChanges) ? undefined : recentChanges,
    notice: isOver(notice) ? undefined : notice,
  };
  return next.recentChanges === recentChanges ? next : relist(next, state);
}

function copied(state: State, { what, note, outcome }: Extract<Message, { type: "copied" }>): State {
  if (outcome.kind === "failed") return notify(state, `can't copy ${what}: ${outcome.reason}`, "error");
  const end = note === undefined ? "" : `; ${note}`;
  if (outcome.kind === "clipboard") return notify(state, `copied ${what} to the clipboard${end}`, "success");
  return notify(state, `sent ${what} to the terminal's clipboard (OSC 52): ${outcome.reason}${end}`);
}
