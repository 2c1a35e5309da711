import { hostname, userInfo } from "node:os";
import { UsageError } from "../../kit/text/errors.js";
import type { Author } from "../../store/history.js";
import type { Io } from "../surroundings.js";

const ACTOR_VARIABLE = "APPVARS_ACTOR";

/** Who runs this command: `user@host`, or what the environment says. @throws UsageError */
export function authorOf(io: Pick<Io, "command" | "user" | "env">): Author {
  const { user, env } = io;
  const actor = env[ACTOR_VARIABLE] || `${userName() ?? user ?? "unknown"}@${hostname()}`;
  if (!/^\P{Cc}{1,255}$/u.test(actor))
    throw new UsageError(
      `${ACTOR_VARIABLE} must have 1 to 255 characters, none of them a control character`,
    );
  return { actor, command: io.command ?? "appvars" };
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // The user of a container may have no name.
    return undefined;
  }
}
