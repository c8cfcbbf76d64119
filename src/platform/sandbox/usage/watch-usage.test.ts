import { expect, test } from 'vitest'
import { watchUsage } from './watch-usage.ts'

const LIMITS = { timeout_ms: 1000, output_bytes: 1000, processes: 1, memory_bytes: 1 }

test('a jail that still sees the machine’s list of processes is not charged with them', async () => {
  const exceeded: string[] = []
  let looks = 0
  // This process sees the machine's own list, as the first process of a jail does until it has another root.
  const unwatch = watchUsage(
    () => {
      looks++
      return process.pid
    },
    LIMITS,
    (limit) => exceeded.push(limit),
  )
  await expect.poll(() => looks, { timeout: 10_000 }).toBeGreaterThan(2)
  unwatch()
  expect(exceeded).toEqual([])
})
