import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { PolicyOutput } from '../../../domains/flows/policy/policy-show.ts'
import { CommandFailure, UsageError } from '../cli-errors.ts'
import { findFlag, type Invocation } from '../command.ts'
import { withConnection } from '../hub/connection.ts'
import { readAnswer } from '../hub/parse-answer.ts'
import type { Extension } from '../operation-command.ts'
import { printAnswer, printForPerson } from '../output/output.ts'

const FILE_LIMIT_BYTES = 1_048_576
const HELP = 'Run the command with --help to see what it takes.'

/** `policy check --against FILE`: another text is taken from a file. */
export const policyCheckExtension: Extension = {
  flags: [
    { name: 'against', value: 'FILE|-', description: 'Check the text of this file in place of the policy' },
  ],
  async act({ operation, invocation, input, call }) {
    const path = findFlag(invocation, 'against')
    const proposed = path === undefined ? {} : { proposed: await readText(path, invocation) }
    return printAnswer(operation, await call({ ...input, ...proposed }), invocation)
  },
}

/** `policy edit`: the new text comes from a file, from stdin, or from the owner's editor. */
export const policyEditExtension: Extension = {
  flags: [
    {
      name: 'from',
      value: 'FILE|-',
      description: 'Take the new text from this file instead of from $EDITOR',
    },
  ],
  async act({ operation, invocation, input, call }) {
    const from = findFlag(invocation, 'from')
    if (from !== undefined || input.text !== undefined) {
      const given = from === undefined ? {} : { text: await readText(from, invocation) }
      return printAnswer(operation, await call({ ...input, ...given }), invocation)
    }
    const before = await readPolicy(invocation)
    const edited = editText(before.text, invocation)
    if (edited === before.text) {
      printForPerson(invocation, `${before.path} was left as it is.`)
      return 0
    }
    // What somebody else has changed while the editor was open is not written over.
    const change = { base_revision: before.revision, ...input, text: edited }
    return printAnswer(operation, await call(change), invocation)
  },
}

/** The text of a file that the command names, or of stdin. */
export async function readText(path: string, { io }: Invocation): Promise<string> {
  if (path === '-') return text(io.stdin)
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) throw new UsageError(`There is no file ${path}.`, HELP)
  if (size > FILE_LIMIT_BYTES) throw new UsageError(`${path} is larger than 1 MiB.`, HELP)
  return readFileSync(path, 'utf8')
}

async function readPolicy(invocation: Invocation) {
  const { policyShow } = await import('../../../domains/flows/policy/policy-show.ts')
  const answer = await withConnection(invocation, ({ call }) => call(policyShow, {}))
  if (!answer.ok) throw new CommandFailure(answer.code ?? 'RUNTIME_ERROR', 'The policy cannot be read.')
  return readAnswer<typeof PolicyOutput>(answer)
}

/** Opens a private copy in the editor and answers what was saved. */
function editText(before: string, { env }: Invocation): string {
  const editor = env.VISUAL || env.EDITOR
  if (!editor) throw new UsageError('No editor is set.', 'Set EDITOR, or give the new text with --from FILE.')
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-policy-'))
  try {
    const copy = join(folder, 'policy.yaml')
    writeFileSync(copy, before, { mode: 0o600 })
    const [program = '', ...args] = editor.split(/\s+/)
    const { status, error } = spawnSync(program, [...args, copy], { stdio: 'inherit', env })
    if (error || status !== 0)
      throw new CommandFailure('EDITOR_FAILED', `${program} ended without success. Nothing was written.`)
    return readFileSync(copy, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
