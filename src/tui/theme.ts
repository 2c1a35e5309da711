/** What text is, as far as colour can tell it. Nothing is told by colour alone. */
export type Role =
  | "text"
  | "muted"
  | "accent"
  | "match"
  | "success"
  | "warning"
  | "danger"
  | "string"
  | "number"
  | "boolean"
  | "json";
