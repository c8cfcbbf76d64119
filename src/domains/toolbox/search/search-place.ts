import { PatternTimeout } from '../../../platform/patterns/patterns.ts'
import { ToolFault } from '../tool-fault.ts'

/** As long as a path can be; a longer one is not named. */
const PATH_MAX_BYTES = 4_096
const LENGTH_BYTES = 4

/** Memory in which a thread notes which file it is at, for it cannot say so once it was stopped. */
export type SearchPlace = Uint8Array

export function createPlace(): SearchPlace {
  return new Uint8Array(new SharedArrayBuffer(LENGTH_BYTES + PATH_MAX_BYTES))
}

/** For the thread, before it looks into a file. */
export function notePlace(place: SearchPlace, path: string): void {
  const bytes = Buffer.from(place.buffer)
  const length = Buffer.byteLength(path)
  const fits = length <= PATH_MAX_BYTES
  if (fits) bytes.write(path, LENGTH_BYTES)
  bytes.writeUInt32LE(fits ? length : 0, 0)
}

/** A timeout with the file it came in, where that is known; any other error as it is. */
export function namePlace(error: unknown, place: SearchPlace): unknown {
  if (!(error instanceof PatternTimeout)) return error
  const bytes = Buffer.from(place.buffer)
  const path = bytes.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + bytes.readUInt32LE(0))
  if (path === '') return error
  return new ToolFault(
    'SecurityError',
    `The pattern took too long in ${path} and was stopped; there is no answer for any other file either.`,
    'Use a pattern that is simpler or matches less often, or name a path without this file.',
    { cause: error },
  )
}
