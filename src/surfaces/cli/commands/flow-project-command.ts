import { readFileSync, statSync } from 'node:fs'
import type { Projected } from '../../../domains/flows/flow-project.ts'
import { detectDrift } from '../../../domains/flows/projection/drift.ts'
import { findMarker } from '../../../domains/flows/projection/marker.ts'
import { isStale } from '../../../domains/flows/projection/staleness.ts'
import { printable } from '../../../platform/basics/printable.ts'
import { CommandFailure, UsageError } from '../cli-errors.ts'
import { findFlag, type Invocation, isFlagOn } from '../command.ts'
import type { CallAnswer } from '../hub/connection.ts'
import { readAnswer } from '../hub/parse-answer.ts'
import type { Extension, OperationCall } from '../operation-command.ts'
import { writeFileAtomically } from '../output/atomic-file.ts'
import { printForPerson, printRefusal } from '../output/output.ts'

/** A file larger than this is not one that we generated. */
const FILE_LIMIT_BYTES = 16 * 1_048_576

/** `flow project`: prints the artifact; writes it only with --out; with --check only compares. */
export const flowProjectExtension: Extension = {
  flags: [
    { name: 'out', value: 'PATH', description: 'Write the artifact to this file' },
    { name: 'check', description: 'Write nothing: compare the file of --out with a fresh rendering' },
  ],
  async before(invocation) {
    if (!isFlagOn(invocation, 'check') || findFlag(invocation, 'out') !== undefined) return undefined
    throw new UsageError('--check needs to know the file.', 'Name it with --out PATH; it is only read.')
  },
  async act(call) {
    const path = findFlag(call.invocation, 'out')
    if (path !== undefined && isFlagOn(call.invocation, 'check')) return checkFile(call, path)
    const answer = await call.call()
    if (!answer.ok) return printRefusal(answer, call.invocation)
    if (path !== undefined) writeFileAtomically(path, renderedOf(answer))
    printProjection(answer, path, call.invocation)
    return 0
  },
}

function printProjection(answer: CallAnswer, path: string | undefined, invocation: Invocation): void {
  const { io, globals } = invocation
  if (globals.json) io.stdout.write(`${answer.text}\n`)
  else if (path !== undefined) printForPerson(invocation, `Wrote ${path}.`)
  else {
    // A pipe gets the exact bytes; a terminal must not be driven by them.
    const rendered = renderedOf(answer)
    io.stdout.write(io.isTerminal ? `${printable(rendered).trimEnd()}\n` : rendered)
  }
}

function renderedOf(answer: CallAnswer): string {
  return readAnswer<typeof Projected>(answer).projection.rendered
}

/**
 * Compares the file with a rendering of the version it says it is, so that an old but untouched file is
 * stale and not edited.
 */
async function checkFile({ invocation, input, call }: OperationCall, path: string): Promise<number> {
  const fresh = await call()
  if (!fresh.ok) return printRefusal(fresh, invocation)
  const { staleness } = readAnswer<typeof Projected>(fresh)
  const onDisk = findText(path)
  const file_version = findVersion(onDisk, input.flow_id)
  const isPinned = input.version !== undefined || file_version === null
  const same = isPinned ? fresh : await call({ ...input, version: file_version })
  const drift = detectDrift(onDisk, renderedOf(same.ok ? same : fresh))
  const stale = file_version !== null && isStale(file_version, staleness.latest_version)
  const report = { path, ...drift, stale, file_version, latest_version: staleness.latest_version }
  const text = invocation.globals.json ? JSON.stringify(report) : printable(describe(report))
  invocation.io.stdout.write(`${text}\n`)
  return drift.drift || stale ? 1 : 0
}

/** The version that a generated file of this flow says it was made from. */
function findVersion(onDisk: string | undefined, flow_id: unknown): string | null {
  const marker = onDisk === undefined ? undefined : findMarker(onDisk)
  return marker?.flow_id === flow_id ? (marker?.flow_version ?? null) : null
}

type Report = {
  path: string
  reason: string
  stale: boolean
  file_version: string | null
  latest_version: string
}

function describe({ path, reason, stale, file_version, latest_version }: Report): string {
  const age = stale ? `stale (the file has ${file_version}, the latest is ${latest_version})` : undefined
  const states = [reason, ...(age ? [age] : [])].join(', ')
  const isFine = reason === 'clean' && !stale
  return `${path}: ${states}${isFine ? '' : '\nHint: Run the command without --check to write it anew.'}`
}

function findText(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) return undefined
    return stats.size > FILE_LIMIT_BYTES ? '' : readFileSync(path, 'utf8')
  } catch (error) {
    throw new CommandFailure(
      'FILE_NOT_READ',
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
      'Check the path and its permissions.',
    )
  }
}
