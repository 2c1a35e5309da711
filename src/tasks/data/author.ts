import { hostname, userInfo } from "node:os";
import { UsageError } from "../../kit/text/errors.js";
import type { Author } from "../../store/history.js";
import type { Caller } from "../surroundings.js";

const ACTOR_VARIABLE = "APPVARS_ACTOR";

/** Who runs this command: `user@host`, or what the environment says. @throws UsageError */
export function authorOf({ surroundings, command = "appvars" }: Caller): Author {
  const { user, env } = surroundings;
  const actor = env[ACTOR_VARIABLE] || `${userName() ?? user ?? "unknown"}@${hostname()}`;
  if (!/^\P{Cc}{1,255}$/u.test(actor))
    throw new UsageError(
      `${ACTOR_VARIABLE} must have 1 to 255 characters, none of them a control character`,
    );
  return { actor, command };
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // The user of a container may have no name.
    return undefined;
  }
}
