import { z } from 'zod'
import { keepDisplaced, noticeEdits, placeOf } from '../../platform/policy-edits/notice-edits.ts'
import { PolicyUneditable } from '../../platform/policy-edits/policy-document.ts'
import { faultLine, findPolicyFaults } from '../../platform/policy-edits/policy-faults.ts'
import { digestOf, type PolicyFile, PolicyUnreadable } from '../../platform/policy-edits/policy-file.ts'
import { type Placed, putInPlace } from '../../platform/policy-edits/put-in-place.ts'
import { faultsOfFile, revisionOfFile, revisionOfText } from '../../platform/policy-edits/revision-name.ts'
import {
  keepRevision,
  type PolicyRevision,
  setRevisionState,
} from '../../platform/policy-edits/revision-store.ts'
import { ActOutside, type Context, type Target } from '../define-operation.ts'
import type { Hub } from '../hub.ts'
import { OwnerRefusal } from '../owner-contract.ts'

/** What every operation that changes the policy takes beside its own. */
export const policyChangeInput = {
  base_revision: z
    .string()
    .max(64)
    .optional()
    .describe('The revision that the change is made for; refused where the file is another one by now'),
  reason: z.string().trim().min(1).max(500).optional().describe('Why, for your own record'),
}

/** What every such operation answers. */
export const policyChangeShape = {
  path: z.string().describe('Where the policy lies'),
  vault_id: z.string(),
  changed: z.boolean().describe('False where it said so before'),
  base_revision: z.string(),
  revision: z.string(),
  digest: z.string(),
  number: z.int().nullable().describe('Its number in the history'),
}
export type PolicyChange = z.output<z.ZodObject<typeof policyChangeShape>>

export interface AskedChange {
  readonly base_revision?: string | undefined
  readonly reason?: string | undefined
}
type Preparing = Pick<Context<AskedChange, never, 'read'>, 'input' | 'hub' | 'vault_id'>
type Changing = Pick<Context<AskedChange, never, 'update'>, 'input' | 'hub' | 'vault_id' | 'db' | 'caller'>

/** A change that was found to be a sound one, and what it was made from. */
export interface PreparedChange {
  readonly path: string
  readonly file: PolicyFile
  readonly base_revision: string
  readonly text: string
}

/**
 * Makes the new text of the policy, before any transaction. What was changed by hand is put on record first; the change
 * is refused if the file is not what the caller has seen, or would be damaged by it.
 */
export async function preparePolicyText(
  { input, hub, vault_id }: Preparing,
  rewrite: (text: string) => string,
): Promise<PreparedChange> {
  const path = hub.home.vaultPolicy(vault_id)
  const file = await readPolicy(hub, vault_id)
  const base_revision = revisionOfFile(file)
  if (input.base_revision !== undefined && input.base_revision !== base_revision)
    throw new OwnerRefusal('policy_changed', `${path} is at revision ${base_revision}.`, {
      path,
      base_revision,
    })
  const text = rewritten(path, file, rewrite)
  const faults = findPolicyFaults(text)
  if (faults.length === 0) return { path, file, base_revision, text }
  const lines = faults.map((fault) => faultLine(path, fault))
  throw new OwnerRefusal('policy_invalid', `It would be damaged. ${lines.join('\n')}`, { path, faults })
}

/** The file as it is, with all that was changed by hand on record. */
export async function readPolicy(hub: Hub, vault_id: string): Promise<PolicyFile> {
  try {
    return await noticeEdits(hub, vault_id)
  } catch (error) {
    if (error instanceof PolicyUnreadable) throw new OwnerRefusal('policy_damaged', `${error.message}.`)
    throw error
  }
}

function rewritten(path: string, file: PolicyFile, rewrite: (text: string) => string): string {
  try {
    return rewrite(file.text ?? '')
  } catch (error) {
    if (!(error instanceof PolicyUneditable)) throw error
    const faults = faultsOfFile(file)
    const lines = faults.map((fault) => faultLine(path, fault))
    if (faults.length > 0) throw new OwnerRefusal('policy_damaged', lines.join('\n'), { path, faults })
    throw new OwnerRefusal('policy_uneditable', `${path}: ${error.message}`, { path })
  }
}

/** Puts the change on record, and into the file after the commit. */
export async function changePolicy<Output>(
  context: Changing,
  { operation, prepared, made }: { operation: string; prepared: PreparedChange; made?: Target | undefined },
  answer: (change: PolicyChange) => Output,
): Promise<Output | ActOutside<Output>> {
  const { hub, vault_id, db, caller, input } = context
  const { path, file, base_revision, text } = prepared
  const same = { path, vault_id, base_revision, revision: base_revision, digest: file.digest }
  if (text === (file.text ?? '')) return answer({ ...same, changed: false, number: null })
  const names = { revision: revisionOfText(text), digest: digestOf(text) }
  const revision = await keepRevision(db, hub, {
    ...names,
    place: placeOf(hub),
    vault_id,
    base_revision,
    at: hub.system.now().toISOString(),
    changed_by: `${caller.kind}:${caller.id}`,
    origin: 'operation',
    operation,
    reason: input.reason ?? null,
    state: 'announced',
    text,
  })
  return new ActOutside(async () => {
    await putOnRecord(hub, vault_id, prepared, revision)
    return answer({ ...same, ...names, changed: true, number: revision.number })
  }, made)
}

async function putOnRecord(
  hub: Hub,
  vault_id: string,
  { path, file, text }: PreparedChange,
  { revision_id }: PolicyRevision,
): Promise<void> {
  const placed = await tryToPut(path, file, text)
  await hub.db.transaction(async (tx) => {
    await setRevisionState(tx, revision_id, placed instanceof Error || !placed.done ? 'refused' : 'kept')
    if (placed instanceof Error) return
    for (const lost of placed.displaced) await keepDisplaced(tx, hub, vault_id, lost)
  })
  if (placed instanceof Error)
    throw new OwnerRefusal('policy_unwritable', `${path} cannot be written: ${placed.message}`)
  if (placed.done) return
  await noticeEdits(hub, vault_id).catch(() => {})
  throw new OwnerRefusal(
    'policy_changed',
    `${path} was saved by somebody else just now. Nothing was written.`,
    {
      path,
    },
  )
}

async function tryToPut(path: string, file: PolicyFile, text: string): Promise<Placed | Error> {
  try {
    return await putInPlace(path, file, text)
  } catch (error) {
    return error as Error
  }
}
