import type { Draft, Edit, Entry } from "../ports.js";

/** What is to be done outside of the state. What comes of it comes back as a message. */
export type Effect =
  /** Read a place, from the start or for changes: `opened`, `progress`, `rateLimit`, then `loaded` or `failed`. */
  | { readonly type: "load"; readonly place: number; readonly generation: number; readonly known: readonly Entry[] }
  /** `decrypted` or `notDecrypted` */
  | { readonly type: "decrypt"; readonly entry: Entry }
  /** `copied` */
  | { readonly type: "copyValue"; readonly entry: Entry }
  /** `copied` */
  | { readonly type: "copyCommand"; readonly name: string }
  /** Make an edit of a form: `prepared` or `refused` */
  | { readonly type: "prepare"; readonly draft: Draft }
  /** Write an edit: `applied` or `refused` */
  | { readonly type: "apply"; readonly edit: Edit }
  /** Read another place to compare with: `compared` or `notCompared` */
  | { readonly type: "compare"; readonly place: number }
  | { readonly type: "quit" }
  | { readonly type: "suspend" };
