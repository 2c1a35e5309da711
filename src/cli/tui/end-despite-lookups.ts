/**
 * Ends the process as Ctrl-C would, if the system is still looking up the name of a server. That can't be called off,
 * and at any other end Node waits for it, ten seconds or more where no server of names answers.
 */
export function endDespiteLookups(): void {
  if (!process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap")) return;
  process.removeAllListeners("SIGINT");
  process.kill(process.pid, "SIGINT");
}
