import type { X509Certificate } from 'node:crypto'
import { TimeStampFault } from './time-stamp-fault.ts'

/** What a certificate has to be made for (id-kp-timeStamping). */
const STAMPING = '1.3.6.1.5.5.7.3.8'
const LONGEST_PATH = 6

/**
 * Throws unless the signer may stamp times, and a path of issuers, each good at that moment, leads to a certificate that
 * the owner trusts.
 */
export function checkIssuers(
  signer: X509Certificate,
  known: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
  at: Date,
): void {
  if (!signer.keyUsage?.includes(STAMPING))
    throw new TimeStampFault('The signer of the time stamp may not stamp times.')
  let one = signer
  for (let step = 0; step < LONGEST_PATH; step++) {
    if (!isGoodAt(one, at))
      throw new TimeStampFault('A certificate of the time stamp was not good at its time.')
    if (trusted.some(({ raw }) => raw.equals(one.raw))) return
    const issuer = [...trusted, ...known].find((other) => other !== one && isIssuer(other, one))
    if (!issuer) break
    one = issuer
  }
  throw new TimeStampFault('The time stamp is not of the authority that is trusted.')
}

function isIssuer(issuer: X509Certificate, one: X509Certificate): boolean {
  return issuer.ca && one.checkIssued(issuer) && one.verify(issuer.publicKey)
}

function isGoodAt({ validFrom, validTo }: X509Certificate, at: Date): boolean {
  return new Date(validFrom) <= at && at <= new Date(validTo)
}
