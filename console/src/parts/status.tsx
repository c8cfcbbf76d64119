import { Icon, type IconName } from './icon'

/** How something stands: a form, a word and a colour, in this order. */
export const STATES = {
  allowed: ['allowed', 'ok'],
  on: ['allowed', 'ok'],
  intact: ['allowed', 'ok'],
  refused: ['refused', 'no'],
  closed: ['refused', 'no'],
  stopped: ['lock', 'no'],
  held: ['held', 'wait'],
  waits: ['held', 'wait'],
  warning: ['failed', 'wait'],
  running: ['running', 'live'],
  failed: ['failed', 'fail'],
  off: ['off', 'faint'],
} as const satisfies Record<string, readonly [IconName, string]>
export type StateName = keyof typeof STATES

export function Status({ state, children }: { state: StateName; children?: React.ReactNode }) {
  const [icon, tone] = STATES[state]
  return (
    <span className={`status tone-${tone}`}>
      <Icon name={icon} />
      <span>{children ?? state}</span>
    </span>
  )
}

/** The word of the audit log for how a call ended, as people say it. */
export function outcomeState(outcome: string): StateName {
  if (outcome === 'denied') return 'refused'
  return outcome === 'failed' ? 'failed' : 'allowed'
}
