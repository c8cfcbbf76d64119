import { isPlaceholder } from '../looks/placeholder.ts'
import { isEncodedText } from '../looks/value-shapes.ts'

/** What is known of the Kubernetes object that the lines belong to. */
export interface KubernetesState {
  /** `maybe` until its kind is told: `data` may stand before `kind`. */
  kind: 'none' | 'maybe' | 'secret'
  /** The indent of the open `data:` line; -1 outside of it. */
  dataIndent: number
}

const KIND = /^[\s-]*["']?kind["']?:\s*["']?(\w+)/
const API = /^[\s-]*["']?apiVersion["']?:\s*["']?v1["']?\s*(?:,\s*)?$/
const DATA = /^(\s*)["']?(?:data|stringData)["']?:\s*(?:\{\s*)?$/
const ENTRY = /^(\s*)["']?[\w.-]{1,253}["']?:\s*(?!\s)(?:[|>][+-]?\s*(?!\s))?["']?([^"'\s]*)["']?,?\s*$/
const BLOCK_TEXT = /^(\s*)(\S+)\s*$/
const ONE_LINE = /"kind"\s*:\s*"Secret"/
const ONE_LINE_DATA = /"(?:data|stringData)"\s*:\s*\{([^{}]{0,8000})\}/

export function outsideKubernetes(): KubernetesState {
  return { kind: 'none', dataIndent: -1 }
}

/** The spans of secret data on a line, after taking note of what the line tells about the object. */
export function findKubernetesData(line: string, state: KubernetesState): [number, number][] {
  if (ONE_LINE.test(line)) return oneLineData(line)
  if (line.startsWith('---')) Object.assign(state, outsideKubernetes())
  if (API.test(line))
    Object.assign(state, { kind: state.kind === 'secret' ? 'secret' : 'maybe', dataIndent: -1 })
  const kind = KIND.exec(line)?.[1]
  if (kind !== undefined)
    Object.assign(state, { kind: kind === 'Secret' ? 'secret' : 'none', dataIndent: -1 })
  if (state.kind === 'none') return []
  const data = DATA.exec(line)
  if (data) state.dataIndent = data[1]?.length ?? 0
  else if (state.dataIndent >= 0 && line.trim() !== '') return entry(line, state)
  return []
}

function entry(line: string, state: KubernetesState): [number, number][] {
  const found = ENTRY.exec(line) ?? BLOCK_TEXT.exec(line)
  const indent = /^\s*/.exec(line)?.[0].length ?? 0
  if (indent <= state.dataIndent) {
    state.dataIndent = -1
    return []
  }
  const value = found?.[2] ?? ''
  if (value.length < 4 || isPlaceholder(value)) return []
  if (state.kind === 'maybe' && !isEncodedText(value.padEnd(16, '='))) return []
  const start = line.lastIndexOf(value)
  return [[start, start + value.length]]
}

function oneLineData(line: string): [number, number][] {
  const found = ONE_LINE_DATA.exec(line)
  if (!found?.[1]) return []
  const from = found.index + found[0].indexOf('{') + 1
  const values = [...found[1].matchAll(/:\s*"([^"]{4,})"/g)]
  return values.map((value) => {
    const end = from + value.index + value[0].length - 1
    return [end - (value[1] as string).length, end]
  })
}
