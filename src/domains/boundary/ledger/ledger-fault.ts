/** The first thing in a chain that is not as it was written. */
export class LedgerFault extends Error {
  override readonly name = 'LedgerFault'
}
