import { checkPattern, explainRefusal } from './check-pattern.ts'
import { EngineRefusal } from './engine-host.ts'
import { type EngineInstance, startEngine } from './engine-instance.ts'
import { PATTERN_TEXT_MAX_BYTES, PatternInvalid } from './patterns.ts'

const COMPILED_LIMIT = 32
/** The engine gives back little of what it used, so it is replaced from time to time. */
const MEMORY_LIMIT_BYTES = 64 * 1024 * 1024
/** Lines end with \n or \r\n, and ^ and $ mean lines, as in every tool that searches files. */
const FLAGS = '(?mR)'

/** Finds patterns in bytes, in the calling thread and without any bound on time. */
export interface Engine {
  /** Offsets of matches in bytes: start, end, start, end and so on. The text must be UTF-8. */
  findAll(pattern: string, text: Uint8Array): number[]
}

/** An engine that remembers the patterns it has compiled. */
export function openEngine(module: WebAssembly.Module): Engine {
  let instance: EngineInstance | undefined = startEngine(module)
  const compiled = new Map<string, number>()

  function forget(): void {
    instance = undefined
    compiled.clear()
  }

  return {
    findAll(pattern, text) {
      if (text.length > PATTERN_TEXT_MAX_BYTES) throw tooLarge()
      if (instance && instance.usedBytes() > MEMORY_LIMIT_BYTES) forget()
      instance ??= startEngine(module)
      try {
        return instance.findAll(requireCompiled(instance, compiled, pattern), text)
      } catch (error) {
        if (error instanceof PatternInvalid) throw error
        // The engine stopped in the middle of something: what is left of it cannot be used.
        forget()
        throw new PatternInvalid(
          'The pattern needs more memory than the engine has: use smaller repeat counts.',
        )
      }
    },
  }
}

function tooLarge(): PatternInvalid {
  return new PatternInvalid(`A text of more than ${PATTERN_TEXT_MAX_BYTES} bytes is too large for a pattern.`)
}

function requireCompiled(engine: EngineInstance, compiled: Map<string, number>, pattern: string): number {
  const known = compiled.get(pattern)
  const regex = known ?? compile(engine, pattern)
  compiled.delete(pattern)
  compiled.set(pattern, regex)
  if (compiled.size > COMPILED_LIMIT) dropOldest(engine, compiled)
  return regex
}

function dropOldest(engine: EngineInstance, compiled: Map<string, number>): void {
  for (const [pattern, regex] of compiled) {
    compiled.delete(pattern)
    return engine.free(regex)
  }
}

function compile(engine: EngineInstance, pattern: string): number {
  checkPattern(pattern)
  try {
    return engine.compile(Buffer.from(FLAGS + pattern))
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error
    throw new PatternInvalid(explainRefusal(pattern, error.message))
  }
}
