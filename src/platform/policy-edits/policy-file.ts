import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { lstatSync, type Stats } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readPlainBytes, SETTINGS_LIMIT_BYTES } from '../policy/watched-file.ts'

/** A file that was saved this recently may be half written: who writes by hand does not do it in one step. */
const SETTLED_AFTER_MS = 100
const LOOK_MS = 40
const LOOKS = 25

/** What lies in the place of a policy. */
export interface PolicyFile {
  /** Undefined where there is no file. */
  readonly text: string | undefined
  /** Over the bytes; `none` where there is no file. */
  readonly digest: string
  /** Whether its bytes are no text; then `text` shows them with holes. */
  readonly is_binary: boolean
  readonly stats: Stats | undefined
}

/** The file cannot be read: a folder, a link, or too large. It is left alone. */
export class PolicyUnreadable extends Error {
  override readonly name = 'PolicyUnreadable'
}

export const NO_DIGEST = 'none'

/** Names a text to the byte. */
export function digestOf(text: string | Buffer): string {
  return `sha256:${hash('sha256', text)}`
}

/** What lies there at this moment, perhaps half written. */
export function readPolicyFile(path: string): PolicyFile {
  try {
    const { bytes, stats } = readPlainBytes(path, SETTINGS_LIMIT_BYTES)
    return { text: bytes.toString('utf8'), digest: digestOf(bytes), stats, is_binary: !isUtf8(bytes) }
  } catch (error) {
    if (isAbsent(path)) return { text: undefined, digest: NO_DIGEST, stats: undefined, is_binary: false }
    throw new PolicyUnreadable(`${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** The same once nobody is writing it any more, or after a second. */
export async function readSettledPolicy(path: string): Promise<PolicyFile> {
  for (let looks = 0; ; looks++) {
    const file = await readOrFault(path, looks)
    if (file && (isSettled(file) || looks >= LOOKS)) return file
    await sleep(LOOK_MS)
  }
}

/** What is cut within a sign is no text, and may be one in a moment. */
async function readOrFault(path: string, looks: number): Promise<PolicyFile | undefined> {
  try {
    return readPolicyFile(path)
  } catch (error) {
    if (looks >= LOOKS || !isRecent(path)) throw error
    return undefined
  }
}

function isSettled({ stats }: PolicyFile): boolean {
  return stats === undefined || !isYoung(stats)
}

function isRecent(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats === undefined || isYoung(stats)
}

// A time to come is of a clock that was wrong.
function isYoung({ mtimeMs, ctimeMs }: Stats): boolean {
  const age_ms = Date.now() - Math.max(mtimeMs, ctimeMs)
  return age_ms >= 0 && age_ms < SETTLED_AFTER_MS
}

function isAbsent(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined
}
