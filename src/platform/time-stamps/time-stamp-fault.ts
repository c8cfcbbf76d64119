/** A time stamp that does not vouch for what it should. */
export class TimeStampFault extends Error {
  override readonly name = 'TimeStampFault'
}
