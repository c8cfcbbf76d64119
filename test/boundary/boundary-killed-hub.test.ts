import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, describe, expect } from 'vitest'
import type { LedgerEntry } from '../../src/domains/boundary/ledger/ledger-record.ts'
import { type HubProcess, hubTokenOf, spawnHub, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { inputOf, policyOf, SECRET } from './boundary-hub.ts'
import { goodAnswer, startProbe } from './probe-engine.ts'
import { LATER, SUBMITTERS, submit, tally, times } from './submitters.ts'

const children: HubProcess[] = []
afterEach(async () => void (await Promise.all(children.splice(0).map((hub) => hub.end('SIGKILL')))))

async function append(url: string, bearer: string, ledger_id: string): Promise<void> {
  const body = JSON.stringify({ tenant_id: 't-001', ledger_id, source: 'crm', type: 'signal', payload: {} })
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  const { status } = await fetch(`${url}/api/v1/ledger/entries`, { method: 'POST', headers, body })
  expect(status).toBe(201)
}

async function listed(url: string, bearer: string): Promise<LedgerEntry[]> {
  const headers = { authorization: `Bearer ${bearer}` }
  const response = await fetch(`${url}/api/v1/ledger/entries?limit=200`, { headers })
  return ((await response.json()) as { entries: LedgerEntry[] }).entries
}

describe.each(DATABASES)('one execution, ten submitters and a killed hub, on %s', (database) => {
  verifies(
    'BNDY-004',
    'is written once although its hub is killed in between',
    async () => {
      using at = temporaryHome()
      await using probe = await startProbe()
      const env: Record<string, string> = { ENGINE_SECRET: SECRET }
      if (database === 'postgres') env.KNOWTATION_DATABASE_URL = await freshPostgresUrl()
      mkdirSync(dirname(at.home.vaultPolicy('default')), { recursive: true })
      writeFileSync(at.home.vaultPolicy('default'), JSON.stringify(policyOf(probe)))
      const start = async () => {
        const child = await spawnHub({ home: at.home.folder, env })
        children.push(child)
        return child
      }
      const first = await start()
      const bearer = hubTokenOf(at.home)
      for (const ledger_id of ['led-100', 'led-200']) await append(first.url, bearer, ledger_id)
      const input = inputOf()
      const reached = new Promise<void>((called) => {
        probe.answer = () => {
          called()
          return new Promise(() => {})
        }
      })
      const lost = Array.from({ length: SUBMITTERS }, () =>
        submit(first.url, bearer, input).catch(() => 'cut off'),
      )
      await reached
      await first.end('SIGKILL')
      expect(new Set(await Promise.all(lost))).toEqual(new Set(['cut off']))
      probe.answer = goodAnswer
      const second = await start()
      const answers = await Promise.all(
        Array.from({ length: SUBMITTERS }, () => submit(second.url, bearer, input, 25)),
      )
      expect(tally(answers)).toEqual(tally(times(SUBMITTERS, LATER)))
      expect(await listed(second.url, bearer)).toHaveLength(2 + 2)
      expect(probe.calls.map(({ body }) => body)).toEqual([JSON.stringify(input), JSON.stringify(input)])
    },
    90_000,
  )
})
