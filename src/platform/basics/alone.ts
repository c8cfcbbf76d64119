let is_alone = false

/** To be called where a request begins: whether whoever sent it is known to call alone, one call after the other. */
export function noteAlone(alone: boolean): void {
  is_alone = alone
}

/**
 * Whether the request that began last is of somebody alone, for whom nothing need be gathered. It is answered so
 * once for each such request: whatever else goes on meanwhile takes its turns.
 */
export function takeAlone(): boolean {
  const was_alone = is_alone
  is_alone = false
  return was_alone
}
