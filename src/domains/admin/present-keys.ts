import type { z } from 'zod'
import { cellOf } from '../../operations/present/table.ts'
import { counted } from '../../platform/basics/printable.ts'
import type { HubTokenRotateOutput } from './hub-token-rotate.ts'
import type { SecretsKeyRotateOutput } from './secrets-key-rotate.ts'

const NEXT_VARIABLE = 'KNOWTATION_SECRETS_KEY_NEXT'

/** Where the new hub token is; itself it is shown nowhere. */
export function presentNewHubToken({ path }: z.output<typeof HubTokenRotateOutput>): string {
  return `A new hub token is in ${cellOf(path)}.\nThe old one counts no more: give programs that hold it the new one.`
}

/** What an exchange of the secrets key has done, and what is left to do. */
export function presentNewSecretsKey({
  key_id,
  resealed,
  source,
}: z.output<typeof SecretsKeyRotateOutput>): string {
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
