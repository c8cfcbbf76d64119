import { ActOutside, type Target } from '../../../operations/define-operation.ts'

/**
 * A change that is done with its transaction, and something outside that should follow once it is kept. Whether
 * that comes about changes nothing in the answer.
 */
export class DoneThenOutside<Output> extends ActOutside<Output> {
  readonly done: Output
  constructor(done: Output, made: Target, follow: (signal: AbortSignal) => Promise<void>) {
    super(async (signal) => {
      await follow(signal)
      return done
    }, made)
    this.done = done
  }
}
