/** The longest that an answer is kept, in seconds: 30 days. What is older is removed. */
export const LONGEST_KEPT_S = 30 * 86_400;
