import { findMarker } from './marker.ts'

/** How a file on disk relates to what would be generated now. */
export type Drift =
  | { drift: false; reason: 'clean' }
  | { drift: true; reason: 'edited' | 'missing_marker' | 'absent' }

/** Compares a file's text with a fresh rendering, byte for byte; it only reports. */
export function detectDrift(onDisk: string | undefined, fresh: string): Drift {
  if (onDisk === undefined) return { drift: true, reason: 'absent' }
  if (onDisk === fresh) return { drift: false, reason: 'clean' }
  return { drift: true, reason: findMarker(onDisk) === undefined ? 'missing_marker' : 'edited' }
}
