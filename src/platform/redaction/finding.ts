/** Where a secret stands in a text, and the rule that says so. */
export interface Finding {
  rule: string
  start: number
  end: number
  /** The value is one that the hub knows exactly. No answer to an agent may depend on it. */
  isKnown?: true
}

/** A part of a text that is not shown, and what is shown in its place: nothing where a secret goes on. */
export interface HiddenPiece {
  readonly start: number
  readonly end: number
  readonly shown: string
}

/** A finding of one layer; where several overlap the one of the lowest rank names the whole. */
export interface Claim extends Finding {
  rank: number
  /** What else found a value that is known exactly: it is shown as that, for the name of a mark must not tell more. */
  guise?: Guise
}

export interface Guise {
  readonly rule: string
  readonly rank: number
}

export const RANK = { known: 0, owner: 1, provider: 2, structure: 3, keyword: 4, entropy: 5 } as const

/** Joins what overlaps, in the order of the text. */
export function joinClaims(claims: Claim[]): Claim[] {
  if (claims.length < 2) return claims
  claims.sort((a, b) => a.start - b.start || a.rank - b.rank)
  const joined: Claim[] = []
  for (const claim of claims) {
    const last = joined.at(-1)
    if (!last || claim.start >= last.end) joined.push({ ...claim })
    else absorb(last, claim)
  }
  return joined
}

function absorb(last: Claim, claim: Claim): void {
  last.end = Math.max(last.end, claim.end)
  const [known, other] = last.rank < claim.rank ? [last, claim] : [claim, last]
  if (known.rank === RANK.known && other.rank > RANK.known && (last.guise?.rank ?? other.rank) >= other.rank)
    last.guise = { rule: other.rule, rank: other.rank }
  if (claim.rank >= last.rank) return
  last.rank = claim.rank
  last.rule = claim.rule
}
