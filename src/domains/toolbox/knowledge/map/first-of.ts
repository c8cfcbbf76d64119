import type { MapEyes } from './map-survey.ts'

/** The first of a list; what is left out makes the map a capped one. */
export function firstOf<Part>(eyes: MapEyes, all: readonly Part[], limit: number): Part[] {
  eyes.is_capped ||= all.length > limit
  return all.slice(0, limit)
}
