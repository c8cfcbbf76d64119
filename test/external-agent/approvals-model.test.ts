import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DATABASES } from '../harness/test-hub.ts'
import { type AskingHub, asOwner, call, startAskingHub } from './approvals.fixture.ts'

const MINUTE = 60_000
const RUNS = 12
const KINDS = 3

/** A request by our own reckoning. Times are of the clock that the test sets. */
interface Asked {
  id: string
  digest: string
  state: 'waiting' | 'approved' | 'executed' | 'denied' | 'expired'
  policy: number
  ends: number
  attaches: number
}

interface Model {
  now: number
  policy: number
  asked: Map<number, Asked>
  executions: number
}

interface Real {
  asking: AskingHub
  clock: { now?: Date }
  run: number
}
type Command = fc.AsyncCommand<Model, Real>

const act = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  async run(model, real) {
    await run(model, real)
    const said = real.asking.endpoint.got.filter(({ body }) => body.includes(`"run":${real.run},`))
    expect(said).toHaveLength(model.executions)
  },
  toString: () => name,
})

/** What time and the policy have made of a request since. */
function settle(model: Model, kind: number): Asked | undefined {
  const one = model.asked.get(kind)
  if (!one) return undefined
  const isOpen = one.state === 'waiting' || one.state === 'approved'
  if (isOpen && one.ends <= model.now) one.state = 'expired'
  const isOver = (one.state === 'executed' || one.state === 'denied') && one.attaches <= model.now
  if (one.policy === model.policy && !isOver) return one
  model.asked.delete(kind)
  return undefined
}

const CODES = { denied: 'FLOW_EXTERNAL_APPROVAL_DENIED', expired: 'FLOW_EXTERNAL_APPROVAL_EXPIRED' } as const

const calls = (kind: number) =>
  act(`call ${kind}`, async (model, { asking, run }) => {
    const one = settle(model, kind)
    const { status, body } = await call(asking, 'post', { run, kind })
    // Who comes late hears so; from when on it is asked anew depends on when somebody has noticed.
    const isAnew = one?.state === 'expired' && status === 202
    if (isAnew) expect(model.now).toBeGreaterThanOrEqual(one.ends + MINUTE)
    else if (one?.state === 'denied' || one?.state === 'expired')
      return expect(body.code).toBe(CODES[one.state])
    if (one?.state === 'approved' || one?.state === 'executed') {
      expect(status).toBe(200)
      if (one.state === 'executed') return
      model.executions++
      Object.assign(one, { state: 'executed', attaches: model.now + 2 * MINUTE })
      return
    }
    expect(status).toBe(202)
    if (one && !isAnew) return expect(body.approval_id).toBe(one.id)
    expect([...model.asked.values()].map(({ id }) => id)).not.toContain(body.approval_id)
    const { body: shown } = await asOwner(asking.hub, 'GET', `/v1/owner/approvals/${body.approval_id}`)
    expect(shown.arguments).toEqual({ run, kind })
    model.asked.set(kind, {
      id: body.approval_id,
      digest: shown.digest,
      state: 'waiting',
      policy: model.policy,
      ends: model.now + 15 * MINUTE,
      attaches: 0,
    })
  })

const decides = (kind: number, decision: 'approve' | 'deny') =>
  act(`${decision} ${kind}`, async (model, { asking }) => {
    const one = model.asked.get(kind)
    if (!one) return
    const isOther = one.policy !== model.policy
    settle(model, kind)
    const said = { decision, digest: one.digest }
    const { status } = await asOwner(asking.hub, 'POST', `/v1/owner/approvals/${one.id}/decision`, said)
    // A no to what another policy asked about may come before anybody has noticed that it is over.
    if (isOther) return expect(decision === 'deny' ? [200, 409] : [409]).toContain(status)
    expect(status).toBe(one.state === 'waiting' ? 200 : 409)
    if (one.state !== 'waiting') return
    if (decision === 'deny') Object.assign(one, { state: 'denied', attaches: one.ends })
    else Object.assign(one, { state: 'approved', ends: model.now + 10 * MINUTE })
  })

const waits = (minutes: number) =>
  act(`${minutes} minutes pass`, async (model, { clock }) => {
    model.now += minutes * MINUTE
    clock.now = new Date(model.now)
  })

let written = 0
const changes = act('the policy changes', async (model, { asking }) => {
  model.policy = ++written
  asking.changePolicy(`revision ${written}`)
})

const tampers = (kind: number) =>
  act(`another digest for ${kind}`, async (model, { asking }) => {
    const one = model.asked.get(kind)
    if (!one) return
    const said = { decision: 'approve', digest: `sha256:${'0'.repeat(64)}` }
    const { status } = await asOwner(asking.hub, 'POST', `/v1/owner/approvals/${one.id}/decision`, said)
    expect(status).toBe(409)
  })

describe.each(DATABASES)('the life of approvals on %s', (database) => {
  test('is that of the rules, whatever comes in whatever order', async () => {
    const clock: { now?: Date } = {}
    const asking = await startAskingHub({ database, clock })
    const kinds = fc.nat(KINDS - 1)
    // Hubs on PostgreSQL have the time of the database, which no test can set.
    const times = database === 'sqlite' ? [fc.integer({ min: 1, max: 16 }).map(waits)] : []
    const commands = fc.commands(
      [
        kinds.map(calls),
        kinds.map(calls),
        kinds.map((kind) => decides(kind, 'approve')),
        kinds.map((kind) => decides(kind, 'approve')),
        kinds.map((kind) => decides(kind, 'deny')),
        kinds.map(tampers),
        fc.constant(changes),
        ...times,
      ],
      { maxCommands: 40 },
    )
    let run = 0
    const base = Date.now()
    try {
      await fc.assert(
        fc.asyncProperty(commands, async (made) => {
          run++
          // Each begins at the same time, so that the grant outlives them all.
          const now = base + run
          if (database === 'sqlite') clock.now = new Date(now)
          const policy = ++written
          asking.changePolicy(`revision ${written}`)
          const model: Model = { now, policy, asked: new Map(), executions: 0 }
          await fc.asyncModelRun(() => ({ model, real: { asking, clock, run } }), made)
        }),
        { numRuns: RUNS },
      )
    } finally {
      delete clock.now
      await asking.close()
    }
  })
})
