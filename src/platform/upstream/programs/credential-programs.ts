import { boundedCache } from '../../basics/cache.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { splitWords } from './command-words.ts'
import { runForLine } from './run-for-line.ts'

const KEPT_MS = 300_000
/** A program that gave nothing, or something that was refused, is not started again at once. */
const REST_MS = 5_000
const MAX_PROGRAMS = 400
const LIMITS = { seconds: 10, bytes: 16_384 }

/** Credentials that programs give, such as `op read op://ops/pager/token`. They are kept in memory alone. */
export interface CredentialPrograms {
  /** The first line that the command writes: at once where it is known, else when the program has ended. */
  read(command: string): string | Promise<string>
  /** Asks anew at the next call, unless that was done just now. Answers whether it will. */
  forget(command: string): boolean
  /** Ends what is still running. */
  close(): void
}

interface Asked {
  at_ms: number
  value: string | undefined
  asking: Promise<string> | undefined
}

export function credentialPrograms(
  env: NodeJS.ProcessEnv,
  { now_ms = () => performance.now(), rest_ms = REST_MS }: { now_ms?: () => number; rest_ms?: number } = {},
): CredentialPrograms {
  const stopping = new AbortController()
  const known = boundedCache(
    MAX_PROGRAMS,
    (): Asked => ({ at_ms: -Infinity, value: undefined, asking: undefined }),
  )
  const ask = (command: string, asked: Asked): Promise<string> => {
    const words = splitWords(command) ?? []
    asked.asking = runForLine(words, env, LIMITS, stopping.signal)
      .then((value) => {
        asked.value = value
        return value
      })
      .finally(() => {
        asked.asking = undefined
        asked.at_ms = now_ms()
      })
    return asked.asking
  }
  return {
    read(command) {
      const asked = known(command)
      if (asked.asking) return asked.asking
      const age_ms = now_ms() - asked.at_ms
      if (asked.value !== undefined && age_ms < KEPT_MS) return asked.value
      asked.value = undefined
      if (age_ms < rest_ms) throw new UpstreamFailure('credential_missing', false)
      return ask(command, asked)
    },
    forget(command) {
      const asked = known(command)
      if (asked.asking || now_ms() - asked.at_ms < rest_ms) return false
      asked.value = undefined
      return true
    },
    close: () => stopping.abort(),
  }
}
