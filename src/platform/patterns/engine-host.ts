/** The parts of the engine's memory and tables that its host works on. */
export interface EngineMemory {
  readonly memory: WebAssembly.Memory
  /** Values of the host that the engine holds by number. */
  readonly __wbindgen_export_2: WebAssembly.Table
}

/** What the engine's calls to its host leave behind. */
export interface MatchRecord {
  engine: EngineMemory | undefined
  /** Where the searched text stands in the engine's memory. */
  text_from: number
  text_to: number
  /** Offsets of matches in bytes: start, end, start, end and so on. */
  offsets: number[]
}

/** The engine does not take the pattern; the message is its own. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal'
}

type HostFunctions = Record<string, (...values: never[]) => unknown>

const decoder = new TextDecoder()

/**
 * What the engine calls. The package's own glue builds a record of four texts for each match; this one notes
 * two numbers, which is all that is needed and several times faster. The names carry the package's version.
 */
export function hostFunctions(module: WebAssembly.Module, record: MatchRecord): object {
  const texts = textReaders(record)
  const known: HostFunctions = {
    __wbindgen_init_externref_table: () => fillTable(record.engine as EngineMemory),
    __wbindgen_throw: (address: number, length: number) => {
      throw new Error(texts.read(address, length))
    },
    __wbindgen_error_new: (address: number, length: number) => new EngineRefusal(texts.read(address, length)),
    __wbindgen_number_new: (value: number) => value,
    __wbindgen_string_new: texts.fieldName,
    __wbg_new_405e22f390576ce2: () => record,
    __wbg_new_78feb108b6472713: () => record,
    __wbg_set_3f1d0b984ed272ed: (_match: unknown, name: unknown, value: number) => {
      if (name === 'start' || name === 'end') record.offsets.push(value)
    },
    __wbg_set_37837023f3d740e8: () => undefined,
  }
  return { ...refusals(module), ...known }
}

function textReaders(record: MatchRecord) {
  const names = new Map<number, string>()
  const read = (address: number, length: number) =>
    decoder.decode(new Uint8Array((record.engine as EngineMemory).memory.buffer, address >>> 0, length))
  /** Texts are names of fields, which stay where they are, or what was matched, which nobody needs. */
  function fieldName(address: number, length: number): string | undefined {
    const at = address >>> 0
    if (at >= record.text_from && at <= record.text_to) return undefined
    const known = names.get(at)
    if (known?.length === length) return known
    const name = read(at, length)
    names.set(at, name)
    return name
  }
  return { read, fieldName }
}

/** The engine expects these values at the end of its fresh table. */
function fillTable({ __wbindgen_export_2: table }: EngineMemory): void {
  const first = table.grow(4)
  for (const [index, value] of [undefined, null, true, false].entries()) table.set(first + index, value)
}

/** Whatever else the engine may ask of its host belongs to functions that are not used here. */
function refusals(module: WebAssembly.Module): HostFunctions {
  return Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, refuse]))
}

function refuse(): never {
  throw new Error('The pattern engine asked for something that it is not given.')
}
