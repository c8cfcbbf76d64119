import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Presented } from '../../src/operations/define-operation.ts'
import { call, type Reply, type Request, requireOperation, WAYS, type Way } from '../harness/call.ts'
import type { Who } from '../harness/callers.ts'
import { DATABASES, startTestHub, storeFlows, type TestHub } from '../harness/test-hub.ts'
import type { RuleId } from '../requirements/rule-ids.ts'
import { verifies } from '../requirements/verifies.ts'
import { manyFlows, SAMPLE_FLOWS } from './sample-flows.ts'

/** One call that every surface must answer alike. */
export interface ParityCase {
  name: string
  rules?: readonly RuleId[]
  operation: string
  input?: Record<string, unknown>
  as: Who
  vault?: string
  presented?: Presented
  gateway?: string
  /** The code of the refusal; without it the call must succeed. */
  code?: string
  status: number
  /** Ways that cannot carry this case, each with the reason. */
  notOn?: Partial<Record<Way, string>>
  /** Takes out what differs between two honest answers. */
  mask?: (text: string) => string
  /** What the one document must be like. Documents have many shapes, and a wrong one fails the check. */
  check?: (body: any, text: string) => void
}

/** Runs the cases on a hub over each database, every way there is. */
export function describeParity(title: string, cases: readonly ParityCase[]): void {
  describe.each(DATABASES)(`${title} on %s`, (database) => {
    let hub: TestHub
    beforeAll(async () => {
      hub = await startTestHub({ database })
      await fillVaults(hub)
    })
    afterAll(() => hub.close())
    for (const one of cases) {
      const body = () => expectParity(hub, one)
      if (one.rules) verifies(one.rules, one.name, body)
      else test(one.name, body)
    }
  })
}

/** `many` and `brim` are vaults with more flows, and exactly as many, as one list shows. */
async function fillVaults({ hub }: TestHub): Promise<void> {
  await storeFlows(hub, 'default', SAMPLE_FLOWS)
  await storeFlows(hub, 'many', manyFlows(201))
  await storeFlows(hub, 'brim', manyFlows(194))
}

/** The ways a case takes. The home's own files are always opened with all rights, so only those compare. */
function waysOf({ as, operation, notOn = {} }: ParityCase): Way[] {
  const { rest, mcp, cli } = requireOperation(operation)
  const offered: Record<Way, boolean> = {
    direct: true,
    rest: rest !== undefined,
    mcp,
    // The owner in person is no credential that a command line could carry elsewhere.
    cli: cli !== undefined && as !== 'owner',
    home: cli !== undefined && (as === 'admin' || as === 'hub' || as === 'owner'),
  }
  for (const way of WAYS)
    if (notOn[way] && !offered[way]) throw new Error(`${way} is not offered anyway: no reason is needed.`)
  return WAYS.filter((way) => offered[way] && !notOn[way])
}

export async function expectParity(hub: TestHub, one: ParityCase): Promise<void> {
  const { operation, input = {}, as, vault, presented, gateway } = one
  const request: Request = { operation: requireOperation(operation), input, as, vault, presented, gateway }
  const replies = new Map<Way, Reply>()
  for (const way of waysOf(one)) replies.set(way, await call(hub, way, request))
  const first = replies.get('direct') as Reply
  for (const [way, reply] of replies) expectSame(way, reply, first, one)
  expect(first.status).toBe(one.status)
  expect(JSON.parse(first.text).code).toBe(one.code)
  one.check?.(JSON.parse(first.text), first.text)
}

function expectSame(
  way: Way,
  reply: Reply,
  first: Reply,
  { code, status, mask = (text) => text }: ParityCase,
): void {
  const masked = (text: string) => mask(maskTimes(text))
  expect({ way, ok: reply.ok, text: masked(reply.text) }).toEqual({
    way,
    ok: code === undefined,
    text: masked(first.text),
  })
  if (reply.status !== undefined) expect({ way, status: reply.status }).toEqual({ way, status })
}

/** The one moment that a document may carry of when it was asked for. */
export function maskTimes(text: string): string {
  return text.replace(/"generated_at":"[^"]+"/g, '"generated_at":"…"')
}
