import { type EngineMemory, hostFunctions, type MatchRecord } from './engine-host.ts'

type Outcome = [value: number, error: number, failed: number]

/** What the engine offers to its host. Numbers are addresses in its memory and lengths in bytes. */
interface EngineExports extends EngineMemory {
  __wbindgen_start(): void
  __wbindgen_malloc(bytes: number, alignment: number): number
  __externref_table_dealloc(index: number): void
  __wbg_rregex_free(regex: number, unused: number): void
  /** This and the next take over the bytes at the address that they are given. */
  rregex_new(address: number, length: number): Outcome
  rregex_findAll(regex: number, address: number, length: number): Outcome
}

/** One engine with a memory of its own, which never shrinks. */
export interface EngineInstance {
  /** The address of a compiled pattern; throws an Error with the engine's own explanation. */
  compile(pattern: Uint8Array): number
  free(regex: number): void
  /** Offsets of matches in bytes: start, end, start, end and so on. The text must be UTF-8. */
  findAll(regex: number, text: Uint8Array): number[]
  usedBytes(): number
}

/** Starts an engine on code that is compiled already. */
export function startEngine(module: WebAssembly.Module): EngineInstance {
  const record: MatchRecord = { engine: undefined, text_from: 0, text_to: 0, offsets: [] }
  const { exports } = new WebAssembly.Instance(module, { wbg: hostFunctions(module, record) })
  const engine = exports as EngineExports
  record.engine = engine
  engine.__wbindgen_start()

  function put(bytes: Uint8Array): number {
    const address = engine.__wbindgen_malloc(bytes.length, 1) >>> 0
    new Uint8Array(engine.memory.buffer).set(bytes, address)
    return address
  }

  function takeValue([value, error, failed]: Outcome): unknown {
    const index = failed ? error : value
    const held = engine.__wbindgen_export_2.get(index)
    engine.__externref_table_dealloc(index)
    if (failed) throw held
    return held
  }

  return {
    compile(pattern) {
      const outcome = engine.rregex_new(put(pattern), pattern.length)
      if (outcome[2]) takeValue(outcome)
      return outcome[0]
    },
    free: (regex) => engine.__wbg_rregex_free(regex, 0),
    findAll(regex, text) {
      const address = put(text)
      Object.assign(record, { text_from: address, text_to: address + text.length, offsets: [] })
      takeValue(engine.rregex_findAll(regex, address, text.length))
      return record.offsets
    },
    usedBytes: () => engine.memory.buffer.byteLength,
  }
}
