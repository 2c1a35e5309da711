export function memoryOf(pid: number): { now: number; peak: number };
