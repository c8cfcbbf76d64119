/** What comes after these beginnings opens something: a grant's bearer, every credential of the hub, a gateway's JWT. */
const BEARERS =
  /(fgrnt_bearer_)[\w!-]+|\b(k[a-z]{3,7}_)(?:[0-9a-f]{16}_)?[0-9a-f]{64}\b|\b(eyJ)[\w-]{5,}\.[\w-]+\.[\w-]*/g

/** A message about what was typed, without the bearers in it: terminals are recorded and copied from. */
export function hideBearers(text: string): string {
  return text.replace(
    BEARERS,
    (_, ...beginnings: (string | undefined)[]) => `${beginnings.find((one) => one !== undefined)}…`,
  )
}
