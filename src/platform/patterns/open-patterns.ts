import { extname } from 'node:path'
import { loadEngineModule } from './engine-module.ts'
import {
  type PatternAnswer,
  PatternInvalid,
  type PatternJob,
  type PatternMatch,
  type Patterns,
} from './patterns.ts'
import { openThreadPool } from './thread-pool.ts'

const THREAD_LIMIT = 2
const SPARES = 1
const IDLE_MS = 60_000
/** Beside this file, in the sources as in the build. */
const PROGRAM = new URL(`./pattern-worker${extname(import.meta.url)}`, import.meta.url)

/** The pattern engine in threads of its own. The first use starts them; they never keep the process alive. */
export function openPatterns(): Patterns {
  const pool = openThreadPool<PatternJob, PatternAnswer>({
    program: PROGRAM,
    thread_limit: THREAD_LIMIT,
    spares: SPARES,
    idle_ms: IDLE_MS,
    loadData: async () => ({ module: await loadEngineModule() }),
  })
  return {
    async findAll(pattern, text) {
      const answer = await pool.run({ pattern, text })
      if ('invalid' in answer) throw new PatternInvalid(answer.invalid)
      return listMatches(answer.indexes)
    },
    close: () => pool.close(),
  }
}

function listMatches(indexes: Uint32Array): PatternMatch[] {
  return Array.from({ length: indexes.length / 2 }, (_, place) => ({
    start: indexes[2 * place] as number,
    end: indexes[2 * place + 1] as number,
  }))
}
