import { ActOutside } from '../../../operations/define-operation.ts'

/**
 * A change that is done with its transaction, and something outside that should follow once it is kept. Whether
 * that comes about changes nothing in the answer.
 */
export class DoneThenOutside<Output> extends ActOutside<Output> {
  readonly done: Output
  constructor(done: Output, follow: (signal: AbortSignal) => Promise<void>) {
    super(async (signal) => {
      await follow(signal)
      return done
    })
    this.done = done
  }
}
