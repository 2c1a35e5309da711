const COLLECT_MS = 1_000;
const REPORT_MS = 60_000;

/** Reports the connections that all workers have refused: at most once a minute. @param report gets their number */
export function createRefusalReport(report: (count: number) => void): (count: number) => void {
  let refused = 0;
  let isPaused = false;
  const pause = (milliseconds: number) => {
    isPaused = true;
    setTimeout(() => {
      isPaused = false;
      if (refused === 0) return;
      report(refused);
      refused = 0;
      pause(REPORT_MS);
    }, milliseconds).unref();
  };
  return (count) => {
    refused += count;
    // Other workers are about to say the same.
    if (!isPaused) pause(COLLECT_MS);
  };
}
