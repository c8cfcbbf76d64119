import { onTestFinished } from 'vitest'
import { recordEvent, type ToolEvent } from '../../src/domains/toolbox/watch/record-event.ts'
import type { Operation } from '../../src/operations/define-operation.ts'
import { type Hub, openHub } from '../../src/operations/hub.ts'
import { runOperation } from '../../src/operations/run-operation.ts'
import { type Caller, localCaller } from '../../src/platform/identity/caller.ts'
import { createRedactor } from '../../src/platform/redaction/redactor.ts'
import { type Clock, makeTestHome, type TestHome, type TestHubOptions } from '../harness/test-hub.ts'

export const redactor = createRedactor()

/** A home, and hubs on it as several processes would open them; all closed when the test ends. */
export async function watchedHome(options: TestHubOptions = {}) {
  const clock: Clock = { now: new Date('2026-11-01T12:00:00.000Z') }
  const home = await makeTestHome({ clock, ...options })
  onTestFinished(() => home[Symbol.asyncDispose]())
  return { clock, home, open: () => openedHub(home) }
}

async function openedHub(home: TestHome): Promise<Hub> {
  const hub = await openHub(home.options)
  let closed: Promise<void> | undefined
  const close = () => (closed ??= hub.close())
  const opened = { ...hub, close }
  onTestFinished(close)
  return opened
}

/** Moves the time on. */
export function pass(clock: Clock, ms: number): void {
  clock.now = new Date((clock.now as Date).getTime() + ms)
}

/** A denial of the guard, as the pipeline tells it. */
export function violate(hub: Hub, agent_id: string, more: Partial<ToolEvent> = {}) {
  return recordEvent(hub, undefined, redactor, {
    kind: 'violation',
    vault_id: 'default',
    agent_id,
    violation_type: 'outside',
    target_path: '../other/x',
    command_args: ['read_file'],
    ...more,
  })
}

/** Calls an operation and answers the document, or the code of its refusal. */
export async function ask(
  hub: Hub,
  operation: Operation,
  input: Record<string, unknown> = {},
  by: { caller?: Caller; vault?: string } = {},
) {
  const { caller = localCaller('knowtation'), vault } = by
  const surface = 'cli'
  const answer = await runOperation(hub, { operation, surface, caller, address: 'test', vault, input })
  return answer.ok ? JSON.parse(answer.text) : (answer.code as string)
}
