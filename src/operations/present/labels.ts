import { z } from 'zod'
import type { Caller } from '../../platform/identity/caller.ts'
import { findLabels } from '../../platform/labels/label-store.ts'
import type { Reader } from '../../platform/storage/database.ts'
import { isOwner } from '../authority.ts'

/** What the owner calls things that an answer has, by their ids. Left out where nothing has a name. */
export const Labels = z
  .record(z.string(), z.string())
  .describe("The owner's names for things of this answer, by their ids; for the owner alone")
export type Labels = z.output<typeof Labels>

/** The part of an answer that has the names. */
export function labelled(labels: Labels): { labels?: Labels } {
  return Object.keys(labels).length > 0 ? { labels } : {}
}

/** The names of these ids, for the owner. What an agent is called is nothing that agents are told. */
export async function ownersLabels(
  { db, vault_id, caller }: { db: Reader; vault_id: string; caller: Caller },
  ids: Iterable<string | null>,
): Promise<Labels> {
  return isOwner(caller) ? findLabels(db, vault_id, ids) : {}
}
