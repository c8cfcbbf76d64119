/** Something with parts that are opened when they are first asked for, such as a hub. A copy of it has the same ones. */
export interface PartOwner {
  readonly parts: Map<unknown, unknown>
}

/** The part that `open` makes for its owner: opened once, and there as long as the owner is. */
export function partOf<Owner extends PartOwner, Part>(owner: Owner, open: (owner: Owner) => Part): Part {
  if (!owner.parts.has(open)) owner.parts.set(open, open(owner))
  return owner.parts.get(open) as Part
}
