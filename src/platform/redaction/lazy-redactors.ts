import type { Redactor } from './redactor.ts'

/** Sets of exceptions for which a redactor is kept; policies name only a few. */
const KEPT_LIMIT = 50

/** Takes secrets out of a value, but for what the excepted rules would find. */
export type RedactValue = (value: unknown, exceptions?: readonly string[]) => Promise<unknown>

/** Redaction that is loaded with the first value: most processes never have one. */
export function lazyRedactors(environment: NodeJS.ProcessEnv): RedactValue {
  const kept = new Map<string, Promise<Redactor>>()
  const make = async (exceptions: readonly string[]) =>
    (await import('./redactor.ts')).createRedactor({ environment, exceptions })
  return async (value, exceptions = []) => {
    const key = exceptions.join()
    let redactor = kept.get(key)
    if (!redactor) {
      if (kept.size >= KEPT_LIMIT) kept.clear()
      kept.set(key, (redactor = make(exceptions)))
    }
    return (await redactor).redactValue(value)
  }
}
