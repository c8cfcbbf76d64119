import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { revokeToken } from '../../src/platform/identity/token-store.ts'
import type { Transaction } from '../../src/platform/storage/database.ts'
import {
  ask,
  type BoundaryHub,
  inputOf,
  type Json,
  policyOf,
  startBoundaryHub,
} from '../boundary/boundary-hub.ts'
import { STORED_FLOWS } from '../external-agent/bundles.ts'
import { policyWith } from '../external-agent/gate-hub.ts'
import { DATABASES, storeFlows } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'

const VAULTS = ['default', 'other'] as const
type Vault = (typeof VAULTS)[number]
const otherThan = (vault: Vault): Vault => (vault === 'default' ? 'other' : 'default')

/** What each vault has one of, made in the same way. */
interface Made {
  token_id: string
  bearer: string
  grant_id: string
  proposal_id: string
  run_id: string
  execution_id: string
  ledger_id: string
}
type Name = keyof Made

/** Lists, what is read of one, and what changes one: each by the name of what it is about. */
const LISTS: [Name, string, object?][] = [
  ['token_id', 'token_list'],
  ['grant_id', 'flow_external_grant_list'],
  ['proposal_id', 'proposal_list'],
  ['run_id', 'flow_run_list', { flow_id: 'flow_gate' }],
  ['execution_id', 'boundary_list'],
  ['ledger_id', 'ledger_list'],
]
const ACTS: [Name, string, object?][] = [
  ['proposal_id', 'proposal_show'],
  ['run_id', 'flow_run_get', { flow_id: 'flow_gate' }],
  ['execution_id', 'boundary_show'],
  ['ledger_id', 'ledger_show'],
  ['token_id', 'token_revoke'],
  ['grant_id', 'flow_external_grant_revoke'],
  ['proposal_id', 'proposal_evaluate', { outcome: 'pass' }],
  ['proposal_id', 'proposal_approve', { waiver_reason: 'none' }],
  ['proposal_id', 'proposal_discard'],
  ['run_id', 'flow_run_advance', { flow_id: 'flow_gate', step_id: 'flow_gate#1', to_status: 'in_progress' }],
  ['execution_id', 'boundary_cancel'],
]
const PARAMETER: Partial<Record<Name, string>> = { execution_id: 'run_id' }

describe.each(DATABASES)('two vaults on %s', (database) => {
  let hub: BoundaryHub
  const made = {} as Record<Vault, Made>
  const inVault = (vault: Vault, name: string, input: object = {}) =>
    ask(hub, name, input, { as: 'hub', vault })

  async function make(vault: Vault): Promise<Made> {
    const done = async (name: string, input: object): Promise<Json> => {
      const told = await inVault(vault, name, input)
      if ((told.status ?? 0) >= 300) throw new Error(`${name}: ${told.text}`)
      return told.body
    }
    const token = await done('token_create', { role: 'admin' })
    const granted = { flow_id: 'flow_gate', flow_version: '1.2.0', requested_tools: ['web_search'] }
    const grant = await done('flow_external_grant_mint', granted)
    const edit = {
      intent: 'A try.',
      bundle: { ...STORED_FLOWS.find(({ flow }) => flow.flow_id === 'flow_gate') },
    }
    const proposal = await done('flow_propose', proposalOf(edit.bundle as Json, vault))
    const run = await done('flow_run_start', { flow_id: 'flow_gate', harness: 'cursor_rule' })
    const entry = {
      tenant_id: 't-001',
      ledger_id: `led-${vault}`,
      source: 'crm',
      type: 'signal',
      payload: {},
    }
    await done('ledger_append', entry)
    const input = inputOf({
      executionId: `exec-in-${vault}`,
      allowedLineage: { dependsOnLedgerIds: [`led-${vault}`] },
    })
    const execution = await done('boundary_run', { engine: 'probe', input, wait_seconds: 0 })
    return {
      token_id: findText(token, /^tok_/),
      bearer: findText(token, /^ktok_/),
      grant_id: findText(grant, /^fgrnt_/),
      proposal_id: findText(proposal, /^prop_/),
      run_id: findText(run, /^run_[0-9a-f]{24}$/),
      execution_id: findText(execution, /^brun_/),
      ledger_id: `led-${vault}`,
    }
  }

  beforeAll(async () => {
    const env = { FLOW_EXTERNAL_AGENT_ENABLED: '1' }
    hub = await startBoundaryHub({ database, env })
    hub.probe.answer = () => new Promise(() => {})
    for (const vault of VAULTS) {
      hub.write(hub.home.vaultPolicy(vault), { ...policyOf(hub.probe), ...policyWith() })
      await inVault(vault, 'flow_list')
      await storeFlows(hub.hub, vault, STORED_FLOWS)
      made[vault] = await make(vault)
    }
    await vi.waitFor(() => expect(hub.probe.calls).toHaveLength(2), { timeout: 20_000 })
  })
  afterAll(() => hub.close())

  const whoami = async (vault: Vault) => {
    const headers = { 'x-vault-id': vault }
    return (await send(hub.url, { path: '/api/v1/whoami', bearer: made[vault].bearer, headers })).status
  }
  const askOf = (vault: Vault, name: string, about: Name, of: Vault, more: object = {}) =>
    inVault(vault, name, { ...more, [PARAMETER[about] ?? about]: made[of][about] })

  test.each(LISTS)('%s: %s shows those of its vault and no other', async (about, name, input = {}) => {
    for (const vault of VAULTS) {
      const { status, text } = await inVault(vault, name, { limit: 100, ...input })
      const shown = VAULTS.filter((one) => text.includes(`"${made[one][about]}"`))
      expect([status, shown]).toEqual([200, [vault]])
    }
  })

  test.each(ACTS)(
    '%s: %s of another vault finds nothing, and changes nothing',
    async (about, name, input) => {
      const before = await everything()
      for (const vault of VAULTS) {
        const { status, code } = await askOf(vault, name, about, otherThan(vault), input)
        expect([status, code]).toEqual([404, expect.stringMatching(/^unknown_/)])
        if (/_(show|get)$/.test(name))
          expect((await askOf(vault, name, about, vault, input)).status).toBe(200)
      }
      expect(await everything()).toEqual(before)
    },
  )

  test('what was to be revoked from elsewhere still counts, and is over when its own vault revokes it', async () => {
    for (const vault of VAULTS) {
      // Not only for want of an answer, which takes the change back: the store itself keeps to the vault.
      const away = (tx: Transaction) => revokeToken(tx, otherThan(vault), made[vault].token_id, new Date())
      expect(await hub.hub.db.transaction(away)).toBeUndefined()
      await askOf(otherThan(vault), 'token_revoke', 'token_id', vault)
      expect(await whoami(vault)).toBe(200)
    }
    expect((await askOf('default', 'token_revoke', 'token_id', 'default')).status).toBe(200)
    expect([await whoami('default'), await whoami('other')]).toEqual([401, 200])
  })

  /** All that the lists of both vaults show. */
  async function everything(): Promise<string[]> {
    const asked = VAULTS.flatMap((vault) =>
      LISTS.map(async ([, name, input]) => (await inVault(vault, name, { limit: 100, ...input })).text),
    )
    return Promise.all(asked)
  }
})

/** A first version of a flow that no vault has yet. */
function proposalOf(known: Json, vault: Vault): object {
  const text = JSON.stringify(known).replaceAll('flow_gate', `flow_new_${vault}`)
  return { intent: 'A try.', bundle: JSON.parse(text) }
}

/** The first text in a document that has this form. */
function findText(document: unknown, form: RegExp): string {
  const texts = [...JSON.stringify(document).matchAll(/"([^"\\]*)"/g)].map(([, text = '']) => text)
  const found = texts.find((text) => form.test(text))
  if (!found) throw new Error(`There is no ${form} in ${JSON.stringify(document)}.`)
  return found
}
