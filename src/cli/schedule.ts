/** Calls back after so many milliseconds; returns how to call that off. */
export type Schedule = (callback: () => void, milliseconds: number) => () => void;

export const schedule: Schedule = (callback, milliseconds) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};
