import { counted } from '../../../platform/basics/counted.ts'
import { cellOf } from './table.ts'

const NEXT_VARIABLE = 'KNOWTATION_SECRETS_KEY_NEXT'

/** Where the new hub token is; itself it is shown nowhere. */
export function presentNewHubToken(body: unknown): string {
  const { path } = body as { path: string }
  return `A new hub token is in ${cellOf(path)}.\nThe old one counts no more: give programs that hold it the new one.`
}

/** What an exchange of the secrets key has done, and what is left to do. */
export function presentNewSecretsKey(body: unknown): string {
  const { key_id, resealed, source } = body as { key_id: string; resealed: number; source: string }
  const done =
    resealed === 0
      ? `The exchange that was begun is finished: the key ${cellOf(key_id)} is in ${cellOf(source)}.`
      : `Sealed ${counted(resealed, 'secret')} anew with the key ${cellOf(key_id)}, which is in ${cellOf(source)}.`
  const left =
    source === NEXT_VARIABLE
      ? `Now give every hub that key as KNOWTATION_SECRETS_KEY, and take ${NEXT_VARIABLE} away.`
      : 'Make a backup: those from before open with the old key only, which is in them.'
  return `${done}\n${left}`
}
