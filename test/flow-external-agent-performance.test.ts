import { afterAll, beforeAll, describe, expect } from 'vitest'
import { offeredTools } from '../src/domains/flows/allowlist.ts'
import type { FlowBundle } from '../src/domains/flows/bundle/flow-record.ts'
import { insertGrant } from '../src/domains/flows/grants/grant-store.ts'
import { renderProjection } from '../src/domains/flows/projection/render-projection.ts'
import { VaultPolicy } from '../src/platform/policy/vault-policy.ts'
import { STARTERS, stepsOf, tool } from './external-agent/bundles.ts'
import {
  ask,
  MINT_INPUT,
  mint,
  policyWith,
  startGateHub,
  startGateway,
  turnGate,
} from './external-agent/gate-hub.ts'
import { storeFlows, type TestHub } from './harness/test-hub.ts'
import { verifies } from './requirements/verifies.ts'

/**
 * Growth is what these tests assert, as a ratio of two times taken in one run: eight times the steps may
 * cost about eight times as much, never the 64 times of quadratic work. Milliseconds are printed beside
 * their budget and asserted nowhere, because a busy machine says nothing about the hub.
 */
const RENDER_BUDGET_P95_MS = 5
const MINT_BUDGET_P95_MS = 25
const FETCH_BUDGET_P95_MS = 50

/** A flow of so many small steps, each with a listed, an unlisted and a repeated tool. */
function flowOfSteps(count: number): FlowBundle {
  const steps = Array.from({ length: count }, (_, at) => ({
    instruction: `Do ${at}.`,
    skill_refs: [tool('web_search'), tool(`tool_${at}`), { kind: 'cli' as const, id: 'git' }],
  }))
  return stepsOf(`flow_steps_${count}`, { version: '1.2.0' }, steps)
}

/** How long each act takes, sorted. They take turns, so that a busy moment of the machine meets all alike. */
async function measure(times: number, ...acts: (() => unknown)[]): Promise<number[][]> {
  const taken: number[][] = acts.map(() => [])
  for (let turn = 0; turn < times; turn++) {
    for (const [at, act] of acts.entries()) {
      const started = performance.now()
      await act()
      taken[at]?.push(performance.now() - started)
    }
  }
  return taken.map((one) => one.toSorted((left, right) => left - right))
}

const minting = (hub: TestHub) => () => ask(hub, 'flow_external_grant_mint', MINT_INPUT, { way: 'direct' })

/** The undisturbed cost: the middle of the faster half. */
const typical = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 4)] as number

function report(what: string, sorted: readonly number[], budget_ms: number): void {
  const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] as number
  process.stdout.write(`${what}: p95 ${p95.toFixed(2)} ms of ${sorted.length}, budget ${budget_ms} ms\n`)
}

describe('a bundle', () => {
  verifies(
    'GATE-186',
    'is scanned and rendered in time that grows with its steps and no faster',
    async () => {
      const policy = VaultPolicy.parse(policyWith())
      const render =
        ({ flow, steps }: FlowBundle) =>
        () =>
          renderProjection({
            flow,
            steps,
            harness: 'agent_bundle',
            allowed_tools: offeredTools(steps, policy),
          })
      const [small, large] = [flowOfSteps(12), flowOfSteps(100)]
      await measure(100, render(large))
      const [of_small = [], of_large = []] = await measure(200, render(small), render(large))
      report('render of 100 steps', of_large, RENDER_BUDGET_P95_MS)
      for (const starter of STARTERS) expect(render(starter)().rendered).toContain('"grant_required":true')
      // About six in a row: eight times the steps, less what a bundle costs without any.
      expect(typical(of_large) / typical(of_small)).toBeLessThan(11)
    },
  )
})

describe('a hub', () => {
  let hub: TestHub
  let gateway: { url: string; close(): Promise<void> }
  const sizes = [125, 250, 1_000] as const
  beforeAll(async () => {
    hub = await startGateHub('on', { env: { FLOW_HOSTED_PROJECTION_ENABLED: '1' } })
    gateway = await startGateway(hub)
    await storeFlows(hub.hub, 'default', sizes.map(flowOfSteps))
  })
  afterAll(async () => {
    await gateway.close()
    await hub.close()
  })

  const fetching = (steps: number, hosted: boolean) => async () => {
    const input = { flow_id: `flow_steps_${steps}`, harness: 'agent_bundle' }
    const how = hosted ? { gateway: gateway.url } : {}
    const { status, code } = await ask(hub, 'flow_project', input, { as: 'gateway', ...how })
    return status === 200 ? 'rendered' : code
  }

  verifies('GATE-188', 'serves hosted and loopback fetches with work that grows with the steps', async () => {
    for (const hosted of [false, true]) {
      for (const size of sizes) expect(await fetching(size, hosted)()).toBe('rendered')
      const taken = await measure(30, ...sizes.map((size) => fetching(size, hosted)))
      const [one, two, eight] = taken.map(typical) as [number, number, number]
      report(`${hosted ? 'hosted' : 'loopback'} fetch of 1000 steps`, taken[2] ?? [], FETCH_BUDGET_P95_MS)
      expect(two / one).toBeLessThan(3)
      expect(eight / one).toBeLessThan(20)
    }
  })

  verifies(['GATE-162', 'GATE-188'], 'refuses, gate off, without any work for the steps', async () => {
    turnGate(hub, '0')
    expect(await fetching(1_000, true)()).toBe('FLOW_HARNESS_UNSUPPORTED')
    const [small = [], large = []] = await measure(30, fetching(125, true), fetching(1_000, true))
    turnGate(hub, '1')
    expect(typical(large) / typical(small)).toBeLessThan(3)
  })

  verifies(
    'GATE-187',
    'mints in a time that many stored grants do not change',
    async () => {
      const empty = await startGateHub('on')
      const { grant } = await mint(hub)
      await storeGrants(20_000)
      await measure(20, minting(empty), minting(hub))
      const [before = [], after = []] = await measure(100, minting(empty), minting(hub))
      await empty.close()
      report('mint beside 20000 grants', after, MINT_BUDGET_P95_MS)
      expect((await minting(hub)()).status).toBe(201)
      expect(typical(after) / typical(before)).toBeLessThan(4)

      async function storeGrants(count: number): Promise<void> {
        await hub.hub.db.transaction(async (tx) => {
          for (let at = 0; at < count; at++)
            await insertGrant(tx, { ...grant, grant_id: `fgrnt_many_${at}` }, `hash ${at}`)
        })
      }
    },
    60_000,
  )
})
