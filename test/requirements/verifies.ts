import { test } from 'vitest'
import type { RuleId } from './rule-ids.ts'

/**
 * Registers a test that proves one or more rules. The ids become part of the test's name, so the
 * coverage table counts a rule as proven only when a test that cites it has really run and passed.
 */
export function verifies(
  ids: RuleId | readonly RuleId[],
  behaviour: string,
  body: () => unknown | Promise<unknown>,
  timeout_ms?: number,
): void {
  const list = typeof ids === 'string' ? [ids] : ids
  test(`[${list.join(' ')}] ${behaviour}`, async () => void (await body()), timeout_ms)
}
