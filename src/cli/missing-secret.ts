import { UnauthorizedError } from "../domain/errors.js";

export function missingSecretError(): UnauthorizedError {
  return new UnauthorizedError("no API secret: set APPVARS_API_SECRET, or name its file with --api-secret-file");
}
