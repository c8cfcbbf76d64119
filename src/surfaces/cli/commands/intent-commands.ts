import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { IntentShape } from '../../../domains/control/intents/intent-schemas.ts'
import { CommandFailure, UsageError } from '../cli-errors.ts'
import { type Flag, findFlag, type Invocation } from '../command.ts'
import { withConnection } from '../hub/connection.ts'
import { readAnswer } from '../hub/parse-answer.ts'
import type { Extension } from '../operation-command.ts'
import { printAnswer } from '../output/output.ts'

const TEXT_LIMIT_BYTES = 5 * 1_048_576
const HELP = 'Run the command with --help to see what it takes.'

const FLAGS: readonly Flag[] = [
  { name: 'set', value: 'NAME=VALUE', description: 'A setting that is no secret; may be repeated' },
  {
    name: 'from',
    value: 'NAME=FILE|-',
    description: 'A secret or an upload: the text of a file, or of stdin; may be repeated',
  },
]

/** `owner intent open` and `owner intent complete`: settings by name, secrets from files and stdin alone. */
export const intentStepExtension: Extension = {
  flags: FLAGS,
  async before(invocation) {
    for (const name of ['values', 'input']) {
      if (!/^\s*[[{]/.test(findFlag(invocation, name) ?? '')) continue
      const hint = 'Put the JSON into a file that only you may read, or give it on stdin: --values -'
      throw new UsageError(`--${name} takes a file or -, since others can read a command line.`, hint)
    }
    return undefined
  },
  async act({ operation, invocation, input, call }) {
    const values = await readValues(invocation, input)
    const answer = await call(values === undefined ? input : { ...input, values })
    return printAnswer(operation, answer, invocation)
  },
}

async function readValues(
  invocation: Invocation,
  input: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown> | undefined> {
  const [set = [], from = []] = [invocation.flags.get('set'), invocation.flags.get('from')]
  if (set.length + from.length === 0) return undefined
  const settings = await findSettings(invocation, String(input.intent_id))
  const values: Record<string, unknown> = { ...(input.values as object | undefined) }
  for (const [name, value] of set.map((text) => splitPair('set', text)))
    values[name] = openValue(name, value, settings)
  if (from.filter((text) => text.endsWith('=-')).length > 1)
    throw new UsageError('Only one value can come from stdin.', 'Put the other one into a file.')
  for (const [name, place] of from.map((text) => splitPair('from', text)))
    values[name] = await readPlace(place, settings.get(name), invocation.io.stdin)
  return values
}

function splitPair(flag: string, text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`--${flag} needs a name, =, and what belongs to it.`, HELP)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** What the connector asks for, so that no secret is taken from the command line by mistake. */
async function findSettings(invocation: Invocation, intent_id: string): Promise<Map<string, string>> {
  const { ownerIntentShow } = await import('../../../domains/control/intents/intents.ts')
  const answer = await withConnection(invocation, ({ call }) => call(ownerIntentShow, { intent_id }))
  if (!answer.ok) return new Map()
  const { settings } = readAnswer<typeof IntentShape>(answer)
  return new Map(settings.map(({ name, kind }) => [name, kind]))
}

function openValue(name: string, value: string, settings: ReadonlyMap<string, string>): string {
  const kind = settings.get(name)
  if (kind === 'secret' || kind === 'file')
    throw new UsageError(
      `${name} is not taken from the command line.`,
      `Use --from ${name}=FILE, or ${name}=-`,
    )
  return kind === 'folder' ? resolve(value) : value
}

async function readPlace(place: string, kind: string | undefined, stdin: Readable): Promise<string> {
  const text = await readText(place === '-' ? stdin : createReadStream(place), place)
  return kind === 'file' ? text : text.replace(/\r?\n$/, '')
}

async function readText(stream: Readable, place: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream) {
      bytes += chunk.length
      if (bytes > TEXT_LIMIT_BYTES)
        throw new CommandFailure('PAYLOAD_TOO_LARGE', `${place} is larger than ${TEXT_LIMIT_BYTES} bytes.`)
      chunks.push(Buffer.from(chunk))
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    if (name === 'TypeError') throw new CommandFailure('BAD_REQUEST', `${place} is not UTF-8 text.`)
    if (code === undefined || name === 'CommandFailure') throw error
    throw new UsageError(`${place} cannot be read (${code}).`, HELP)
  }
}

/** `collector enroll`: the folder as this machine knows it. */
export const collectorEnrollExtension: Extension = {
  flags: [],
  async act({ operation, invocation, input, call }) {
    const { folder } = input
    const answer = await call(typeof folder === 'string' ? { ...input, folder: resolve(folder) } : input)
    return printAnswer(operation, answer, invocation)
  },
}
