import { expect, test } from 'vitest'
import { isEnded, isMove, RUN_STATES } from './run-state.ts'

test('states move as the table says, and no other way', () => {
  const moves = RUN_STATES.flatMap((from) =>
    RUN_STATES.filter((to) => isMove(from, to)).map((to) => `${from} → ${to}`),
  )
  expect(moves).toEqual([
    'queued → running',
    'queued → failed',
    'queued → cancelled',
    'running → queued',
    'running → running',
    'running → cancelling',
    'running → succeeded',
    'running → failed',
    'running → cancelled',
    'cancelling → cancelled',
  ])
  expect(RUN_STATES.filter(isEnded)).toEqual(['succeeded', 'failed', 'cancelled'])
})
