import { Refusal } from '../../../operations/errors.ts'

/** Calls under way are looked at this often; most are over sooner. */
const LOOK_EVERY_MS = 500

/**
 * Carries out a call for a grant. What would refuse the next call stops this one too, on whatever surface it came, and
 * the caller hears the same: `activated` asks the conditions anew, and throws the refusal.
 */
export async function whileActivated<Result>(
  activated: () => Promise<unknown>,
  signal: AbortSignal,
  perform: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController()
  const giveUp = () => stop.abort(signal.reason)
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  let refused: Refusal | undefined
  let isLooking = false
  const look = async () => {
    // A store that is slow gets no second question beside the first.
    if (isLooking) return
    isLooking = true
    try {
      await activated()
    } catch (error) {
      // What cannot be asked now ends nothing that was let in while it could be.
      if (!(error instanceof Refusal)) return
      refused = error
      stop.abort(error)
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref()
  try {
    const result = await perform(stop.signal)
    if (refused) throw refused
    return result
  } catch (error) {
    throw refused ?? error
  } finally {
    clearInterval(timer)
    signal.removeEventListener('abort', giveUp)
  }
}
