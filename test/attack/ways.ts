import type { Attack, Way } from './attack.ts'

/** The ways of an attacker to run, and of the calls to come. */
export const WAYS: readonly Way[] = [
  { name: 'tests in one session', run: { session: 'stdio', tool: 'run_test' }, caller: 'stdio' },
  { name: 'a loose program', caller: 'stdio' },
  { name: 'linters over REST', run: { session: 'rest', tool: 'run_lint' }, caller: 'stdio' },
  { name: 'linters, calls over REST', run: { session: 'stdio', tool: 'run_lint' }, caller: 'rest' },
  { name: 'tests in another process', run: { session: 'second', tool: 'run_test' }, caller: 'stdio' },
  { name: 'tests under another path', run: { session: 'alias', tool: 'run_test' }, caller: 'stdio' },
  { name: 'tests of a hub that is killed', run: { session: 'doomed', tool: 'run_test' }, caller: 'stdio' },
  { name: 'tests in another home', run: { session: 'other_home', tool: 'run_test' }, caller: 'stdio' },
]
/** Those that need two hubs only. */
const FEW = 4

/** The way of a round: one after the other. */
export function wayOf({ only }: Attack, round: number, few = false): Way {
  const open = WAYS.slice(0, few ? FEW : WAYS.length).filter(
    ({ run }) => only === undefined || (only === 'jailed') === (run !== undefined),
  )
  return open[round % open.length] as Way
}
