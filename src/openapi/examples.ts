import type { Health } from "../domain/source.js";
import type { ValueContent, Variable, VariableValue } from "../domain/variable.js";

export const VARIABLE: Variable = { id: 1, type: "STRING", name: "DATABASE_URL", description: "Primary database" };

const CONTENT: ValueContent = { value: "postgres://localhost/dev" };
export const VALUE: VariableValue = { id: 11, variable_id: VARIABLE.id, content: CONTENT };

/** A content for each type, and an encrypted one. */
export const CONTENTS: Record<string, ValueContent> = {
  STRING: CONTENT,
  NUMBER: { value: 3000 },
  BOOLEAN: { value: true },
  JSON: { value: { beta: ["x", null, 1.5] } },
  encrypted: { value: "envbee:enc:v1:bm9uY2Ugbm9uY2VjaXBoZXJ0ZXh0IGFuZCB0YWc=" },
};

const DATE = "2026-01-02T03:04:05.678Z";
export const HEALTHY: Health = { uptime: 86400.25, message: "OK", date: DATE };
export const UNHEALTHY: Health = { ...HEALTHY, message: "the data file was deleted; serving what was last read" };

/** The page that holds these items and is the whole list. */
export function wholePage<T>(...data: T[]) {
  return { metadata: { limit: 50, offset: 0, total: data.length }, data };
}
