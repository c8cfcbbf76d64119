import type { Hub } from '../../../operations/hub.ts'
import { openSecret, sealSecret } from '../../../platform/secrets/sealed-secrets.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import type { SubscriptionRow } from './subscription-store.ts'
import { newSigningSecret } from './webhook-signature.ts'

/** After a rotation the former secret signs too for this long, so that receivers can change over at leisure. */
export const FORMER_SECRET_SECONDS = 86_400

const placeOf = (subscription_id: string) => ({ id: subscription_id, field: 'signing_secret' })

/** Makes a signing secret; only its sealed form may be stored. */
export async function makeSecret(
  tx: Transaction,
  hub: Hub,
  subscription_id: string,
): Promise<{ secret: string; sealed_secret: string }> {
  const secret = newSigningSecret(hub.system)
  return { secret, sealed_secret: await sealSecret(tx, hub, placeOf(subscription_id), secret) }
}

/** The secrets that sign now, the newest first. */
export function openSecrets(
  hub: Hub,
  row: Pick<SubscriptionRow, 'subscription_id' | 'sealed_secret' | 'sealed_former_secret' | 'former_until'>,
): string[] {
  const place = placeOf(row.subscription_id)
  const isFormerGood = row.former_until !== null && row.former_until > hub.system.now().toISOString()
  const sealed = [row.sealed_secret, isFormerGood ? row.sealed_former_secret : null]
  return sealed.filter((one) => one !== null).map((one) => openSecret(hub, place, one))
}
