import type { IconName } from '../parts/icon'

export interface Place {
  readonly to: string
  readonly name: string
  readonly icon: IconName
  /** The letter that leads there after a g. */
  readonly key: string
  readonly group?: string
}

/** The pages that the way around offers, in its order. */
export const PLACES: readonly Place[] = [
  { to: '/', name: 'Home', icon: 'home', key: 'h' },
  { to: '/activity', name: 'Activity', icon: 'activity', key: 'a' },
]
