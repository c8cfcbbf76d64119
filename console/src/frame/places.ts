import type { IconName } from '../parts/icon'

export interface Place {
  readonly to: string
  readonly name: string
  readonly icon: IconName
  /** The letter that leads there after a g. */
  readonly key: string
  readonly group?: string
}

const MAY = 'What they may do'

/** The pages that the way around offers, in its order. */
export const PLACES: readonly Place[] = [
  { to: '/', name: 'Home', icon: 'home', key: 'h' },
  { to: '/inbox', name: 'Inbox', icon: 'inbox', key: 'i' },
  { to: '/activity', name: 'Activity', icon: 'activity', key: 'a' },
  { to: '/agents', name: 'Agents', icon: 'agents', key: 'r', group: MAY },
  { to: '/flows', name: 'Flows', icon: 'flows', key: 'f', group: MAY },
  { to: '/tools', name: 'Tools', icon: 'tools', key: 't', group: MAY },
  { to: '/data', name: 'Data', icon: 'data', key: 'd', group: MAY },
]

/** What stands at the foot of the way around. */
export const SETTINGS: Place = { to: '/settings', name: 'Settings', icon: 'settings', key: 's' }
export const ALL_PLACES: readonly Place[] = [...PLACES, SETTINGS]
