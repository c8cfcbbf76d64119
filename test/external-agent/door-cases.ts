import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { runInProcess } from '../harness/call-cli.ts'
import { connectClient } from '../harness/call-mcp.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { expectParity, maskTimes } from '../parity/parity-case.ts'
import { verifies } from '../requirements/verifies.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { LIST } from './code-cases.ts'
import { ask, listed, MINT_INPUT, mint, rest, writePolicy } from './gate-hub.ts'
import { maskMint } from './mint-cases.ts'

const SURFACES = ['rest', 'mcp', 'cli'] as const
const GRANTS = '/api/v1/flows/external-grants'

/** Registers what each surface offers, by the names that the contract gives. */
export function describeDoors(hubOf: () => TestHub): void {
  verifies('GATE-005', 'MCP lists the tools of grants, and the harness of bundles', async () => {
    const client = await connectClient(`${hubOf().url}/mcp`, hubOf().credentials.bearers.editor)
    const { tools } = await client.listTools()
    await client.close()
    const schemaOf = (name: string): any => tools.find((one) => one.name === name)?.inputSchema
    for (const verb of ['mint', 'revoke', 'list'])
      expect(schemaOf(`flow_external_grant_${verb}`)).toMatchObject({ type: 'object', properties: {} })
    expect(schemaOf('flow_project').properties.harness.enum).toContain('agent_bundle')
  })

  verifies(['GATE-006', 'GATE-007', 'GATE-010'], 'REST mints, revokes and renders at its paths', async () => {
    const { flow_id: _path, ...body } = MINT_INPUT
    const minted = await rest(hubOf(), 'POST', '/api/v1/flows/flow_gate/external-grants', body)
    expect([minted.status, minted.body.schema]).toEqual([201, 'knowtation.flow_external_grant_mint/v0'])
    const revoked = await rest(hubOf(), 'DELETE', `${GRANTS}/${minted.body.grant.grant_id}`)
    expect(revoked).toMatchObject({ status: 200, body: { schema: 'knowtation.flow_external_grant/v0' } })
    expect({ ...revoked.body, revoked_at: null }).toEqual(minted.body.grant)
    expect(revoked.body.revoked_at).not.toBeNull()
    const rendered = await rest(
      hubOf(),
      'GET',
      '/api/v1/flows/flow_gate/projection?harness=agent_bundle&version=1.2.0',
    )
    expect(rendered).toMatchObject({
      status: 200,
      body: {
        schema: 'knowtation.flow_project/v0',
        projection: { harness: 'agent_bundle', flow_version: '1.2.0' },
      },
    })
  })

  verifies(['GATE-008', 'GATE-009', 'GATE-014'], 'REST lists the grants, of one flow if asked', async () => {
    const first = await mint(hubOf())
    const other = await mint(hubOf(), { flow_id: 'flow_project_only' })
    const all = await rest(hubOf(), 'GET', GRANTS)
    expect([all.status, Object.keys(all.body)]).toEqual([200, ['schema', 'vault_id', 'grants']])
    expect(all.body.schema).toBe('knowtation.flow_external_grant_list/v0')
    expect(all.body.grants).toEqual(expect.arrayContaining([first.grant, other.grant]))
    for (const grant of all.body.grants) expect(grant.schema).toBe('knowtation.flow_external_grant/v0')
    const one = await rest(hubOf(), 'GET', `${GRANTS}?flow_id=flow_project_only`)
    expect(one.body.grants).toEqual([other.grant])
    await expectParity(hubOf(), {
      name: '',
      as: 'editor',
      ...LIST,
      status: 200,
      input: { flow_id: 'flow_project_only' },
    })
  })

  verifies('GATE-011', 'the command line has the same four commands and documents', async () => {
    const env = { KNOWTATION_TOKEN: hubOf().credentials.bearers.editor }
    const run = async (...words: string[]) => {
      const { exit, stdout } = await runInProcess([...words, '--json', '--url', hubOf().url], env)
      expect([words, exit]).toEqual([words, 0])
      return JSON.parse(stdout)
    }
    const wanted = ['--flow-version', '1.2.0', '--requested-tools', 'web_search']
    const minted = await run('flow', 'grant', 'mint', 'flow_gate', ...wanted)
    const { body } = await rest(hubOf(), 'POST', '/api/v1/flows/flow_gate/external-grants', MINT_INPUT)
    expect(maskMint(JSON.stringify(minted))).toBe(maskMint(JSON.stringify(body)))
    expect(await run('flow', 'grant', 'list')).toEqual((await rest(hubOf(), 'GET', GRANTS)).body)
    const { grant_id } = minted.grant
    const revoked = await run('flow', 'grant', 'revoke', grant_id)
    expect(revoked).toEqual((await rest(hubOf(), 'DELETE', `${GRANTS}/${grant_id}`)).body)
    const projected = await run('flow', 'project', 'flow_gate', '--harness', 'agent_bundle')
    const same = await rest(hubOf(), 'GET', '/api/v1/flows/flow_gate/projection?harness=agent_bundle')
    expect(maskTimes(JSON.stringify(projected))).toBe(maskTimes(JSON.stringify(same.body)))
  })

  verifies(
    ['GATE-011', 'GATE-012'],
    'whoever has the home mints the same with and without the hub',
    async () => {
      const hub = hubOf()
      const wanted = { ...MINT_INPUT, actor_label: 'bot' }
      const over = [
        await mint(hub, wanted, { as: 'hub', way: 'rest' }),
        await mint(hub, wanted, { as: 'hub', way: 'mcp' }),
      ]
      const words =
        'flow grant mint --flow-id flow_gate --version 1.2.0 --tools web_search --actor-label bot --json'
      const { env } = hub.options
      const { stdout } = await runInProcess(words.split(' '), env)
      const grants = [...over, JSON.parse(stdout)].map(({ grant }) => {
        const { grant_id: _id, issued_at: _issued, expires_at: _expires, ...same } = grant
        return same
      })
      expect(grants[0].actor_hash).toBe(hash('sha256', 'bot|default|hub'))
      expect(grants[1]).toEqual(grants[0])
      expect(grants[2]).toEqual(grants[0])
    },
  )

  verifies(
    'GATE-018',
    'the command line says what the hub would of a mint that lacks something',
    async () => {
      const env = { KNOWTATION_TOKEN: hubOf().credentials.bearers.editor }
      const run = (words: string) => runInProcess([...words.split(' '), '--url', hubOf().url], env)
      for (const words of [
        'flow grant mint --flow-version 1.2.0 --requested-tools web_search',
        'flow grant mint flow_gate --requested-tools web_search',
        'flow grant mint flow_gate --flow-version 1.2.0',
        'flow grant mint flow_gate --flow-version 1.2.0 --requested-tools web_search --ttl soon',
      ]) {
        const told = await run(`${words} --json`)
        expect([words, told.exit, JSON.parse(told.stdout).code]).toEqual([words, 2, 'BAD_REQUEST'])
        expect((await run(words)).stderr).toMatch(/^Error \(BAD_REQUEST\): .*\nHint: /)
      }
    },
  )

  verifies('GATE-015', 'the served description has the five routes with their codes', async () => {
    const { paths } = (await (await fetch(`${hubOf().url}/openapi.json`)).json()) as any
    const grants = '/api/v1/flows/{id}/external-grants'
    const codes = {
      [`post ${grants}`]: ['FLOW_EXTERNAL_TOOL_UNKNOWN', 'FLOW_EXTERNAL_TOOL_DENIED'],
      [`delete ${GRANTS}/{grant_id}`]: ['unknown_grant', 'FLOW_EXTERNAL_GRANT_DENIED'],
      [`get ${GRANTS}`]: ['FLOW_EXTERNAL_AGENT_DISABLED', 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN'],
      'post /api/v1/flows/external-tools/{tool_id}/invoke': [
        'FLOW_EXTERNAL_GRANT_REVOKED',
        'FLOW_EXTERNAL_GRANT_EXPIRED',
      ],
      'get /api/v1/flows/{id}/projection': ['FLOW_HARNESS_UNSUPPORTED', 'FLOW_HOSTED_PROJECTION_DISABLED'],
    }
    for (const [route, named] of Object.entries(codes)) {
      const [method = '', path = ''] = route.split(' ')
      const text = JSON.stringify(paths[path]?.[method]?.responses)
      for (const code of named) expect(text, route).toContain(code)
    }
    const { parameters } = paths['/api/v1/flows/{id}/projection'].get
    expect(parameters[0]).toMatchObject({ name: 'id', in: 'path', required: true })
    const harness = parameters.find((one: { name: string }) => one.name === 'harness')
    expect(harness.schema.enum).toContain('agent_bundle')
  })

  verifies('GATE-019', 'a body that names another flow than the path is refused', async () => {
    const before = await listed(hubOf())
    const path = '/api/v1/flows/flow_project_only/external-grants'
    expect(await rest(hubOf(), 'POST', path, MINT_INPUT)).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    })
    expect(await listed(hubOf())).toEqual(before)
  })

  verifies('GATE-022', 'a flow that cannot be seen is missing, to the byte', async () => {
    for (const way of SURFACES) {
      const [unseen, missing] = await Promise.all(
        ['flow_higher', 'flow_nope'].map((flow_id) =>
          ask(hubOf(), 'flow_external_grant_mint', { ...MINT_INPUT, flow_id }, { as: 'viewer', way }),
        ),
      )
      expect(unseen).toEqual(missing)
      expect(unseen).toMatchObject({ code: 'unknown_flow', ...(way === 'rest' && { status: 404 }) })
    }
  })

  test('a command line without a flow is wrong usage, and nothing is minted', async () => {
    const words = ['flow', 'grant', 'mint', '--flow-version', '1.2.0', '--requested-tools', 'web_search']
    const env = { KNOWTATION_TOKEN: hubOf().credentials.bearers.editor }
    const before = await listed(hubOf())
    expect((await runInProcess([...words, '--json', '--url', hubOf().url], env)).exit).toBe(2)
    expect(await listed(hubOf())).toEqual(before)
  })
}

/** Bodies that say nothing an operation could take, each with the type it comes as. */
const NO_INPUTS = [
  ['[]'],
  ['"x"'],
  ['{'],
  ['null'],
  [JSON.stringify({ ...MINT_INPUT, flow_id: 'flow_plain' })],
  ['flow_id=flow_gate', 'text/plain'],
  [`"${'x'.repeat(1_048_576)}"`],
] as const

/** Registers what a shut door says to those who do not even ask well. */
export function describeShutDoors(hubOf: () => TestHub): void {
  const codes = async (path: string) => {
    const said = new Set<string>()
    for (const [body, type = 'application/json'] of NO_INPUTS) {
      const bearer = hubOf().credentials.bearers.editor
      const headers = { 'content-type': type }
      const { status, text } = await send(hubOf().url, { method: 'POST', path, bearer, headers, body })
      said.add(`${status} ${JSON.parse(text).code}`)
    }
    return [...said]
  }
  const minting = '/api/v1/flows/flow_gate/external-grants'
  const invoking = '/api/v1/flows/external-tools/web_search/invoke'

  verifies(['GATE-033', 'GATE-098'], 'a gate that is off is told before a body is looked at', async () => {
    for (const path of [minting, invoking, `${minting}?a=b`])
      expect([path, await codes(path)]).toEqual([path, ['403 FLOW_EXTERNAL_AGENT_DISABLED']])
    writePolicy(hubOf(), { forbidden: true })
    for (const path of [minting, invoking])
      expect([path, await codes(path)]).toEqual([path, ['403 FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN']])
  })

  verifies(
    ['FLOW-053', 'FLOW-062'],
    'authoring that is off is told before a bundle is looked at',
    async () => {
      const shut = { disabled: {}, policy_forbidden: { flow_authoring: { forbidden: true } } }
      for (const [word, policy] of Object.entries(shut)) {
        hubOf().write(hubOf().home.vaultPolicy('default'), policy)
        for (const path of ['/api/v1/flows', '/api/v1/flows/flow_gate/proposals', '/api/v1/flows/import'])
          expect([path, await codes(path)]).toEqual([path, [`403 FLOW_AUTHORING_${word.toUpperCase()}`]])
      }
    },
  )
}
