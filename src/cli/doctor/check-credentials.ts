import { decodePage, decodeVariable } from "../../client/decode.js";
import { interpret } from "../../client/interpret.js";
import { AppvarsError } from "../../domain/errors.js";
import { missingSecretError } from "../missing-secret.js";
import { type Finding, ok, problem, skipped } from "./finding.js";
import type { Outcome } from "./probe.js";
import { type CredentialTrials, isRefused } from "./try-credentials.js";

export interface CredentialFacts {
  /** Whether they are configured. */
  hasKey: boolean;
  hasSecret: boolean;
  /** Whether the secret itself is sent, which needs the key. */
  needsKey: boolean;
  trials: CredentialTrials | undefined;
}

/** Whether the server takes the credentials, and which of them is wrong: it gives one answer for all that is. */
export function checkCredentials({ hasKey, hasSecret, needsKey, trials }: CredentialFacts): Finding {
  if (!hasSecret) {
    return problem(
      "unauthorized",
      missingSecretError().message,
      "set it; on the server's side, appvars serve --print-credentials shows it",
    );
  }
  if (needsKey && !hasKey) {
    return problem("unauthorized", "no API key, which --auth headers needs", "set APPVARS_API_KEY or add --api-key");
  }
  if (!trials) return skipped("there is no appvars server to try them with: see reachability");
  return isRefused(trials.asSent) ? blame(trials, hasKey, needsKey) : judge(trials.asSent);
}

function judge(outcome: Outcome): Finding {
  try {
    if ("error" in outcome) throw outcome.error;
    const { total } = interpret(outcome.response, decodePage(decodeVariable)).metadata;
    return ok(`the server takes them; the environment has ${total} variables`);
  } catch (error) {
    if (!(error instanceof AppvarsError)) throw error;
    if (error.code === "rate_limited") return skipped("the server takes no requests now: see rate_limit");
    return problem(error.code, error.message, "see the server's log");
  }
}

function blame({ onServersTime, withoutKey }: CredentialTrials, hasKey: boolean, needsKey: boolean): Finding {
  if (isAccepted(onServersTime)) {
    if (needsKey) {
      const message = "the server takes them as a signature, but not as headers: a proxy may drop x-api-secret";
      return problem("unauthorized", message, "use --auth hmac");
    }
    return ok("they are right: signed at the server's time they are taken; see clock");
  }
  if (isAccepted(withoutKey)) {
    const fix = "correct the key (APPVARS_API_KEY, --api-key), or take both anew from the server's side";
    return problem(
      "unauthorized",
      "the API key is wrong: it does not belong to the secret, which the server knows",
      fix,
    );
  }
  const fix = "take secret and key anew from the server's side: they may have been rotated";
  const isSure = !hasKey || (withoutKey !== undefined && isRefused(withoutKey));
  const how = hasKey ? "it is refused with the key and without" : "it is refused";
  if (isSure) return problem("unauthorized", `the API secret is wrong: ${how}`, fix);
  return problem("unauthorized", "the API key or the secret is wrong", fix);
}

function isAccepted(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && "response" in outcome && outcome.response.status === 200;
}
