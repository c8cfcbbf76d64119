/** What the hub needs of a log. A pino logger is one. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A log of JSON lines for short-lived programs: warnings and errors only, and no library to load. */
export function plainLog(write: (line: string) => unknown, now: () => Date): Log {
  const line = (level: string) => (fields: object, message: string) =>
    void write(`${JSON.stringify({ level, at: now().toISOString(), ...fields, message })}\n`)
  return { debug: () => {}, info: () => {}, warn: line('warn'), error: line('error') }
}
