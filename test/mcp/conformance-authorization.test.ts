import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { SIGN_IN_URL, type Started, startProgram } from '../consent/clients.fixture.ts'
import { allow, GRANT, read, register, startSignInHub } from '../consent/sign-in.fixture.ts'
import { freePort } from '../harness/free-port.ts'
import { send } from '../rest/rest-hub.fixture.ts'

const PROGRAM = join(PACKAGE_FOLDER, 'node_modules/mcp-conformance-2026/dist/index.js')
const LIMIT_MS = 120_000

let started: Started | undefined
afterEach(() => started?.end())

interface Check {
  readonly id: string
  readonly status: string
}

/** The official suite for authorization servers at a hub, whose owner allows what it asks for. */
async function runAuthorizationSuite(config: object, ...more: string[]): Promise<Record<string, string>> {
  const { hub, owner } = await startSignInHub({ config })
  const saved = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
  try {
    const port = String(await freePort())
    const redirect_uris = [`http://127.0.0.1:${port}/callback`]
    const { client_id } = read(await register(hub, { client_name: 'The suite', redirect_uris }))
    const asked = ['--url', hub.url, '--client-id', client_id, '--resource', `${hub.url}/mcp`, '-p', port]
    started = startProgram(process.execPath, [PROGRAM, 'authorization', ...asked, '-o', saved, ...more], {})
    const { pathname, search } = new URL(await started.says(SIGN_IN_URL))
    const { headers } = await send(hub.url, { path: `${pathname}${search}` })
    const { location } = await allow(owner, String(headers.location), GRANT)
    await fetch(String(location))
    await started.done()
    const files = readdirSync(saved).map((folder) => join(saved, folder, 'checks.json'))
    const checks = files.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as Check[])
    return Object.fromEntries(checks.map(({ id, status }) => [id, status]))
  } finally {
    rmSync(saved, { recursive: true, force: true })
    await hub.close()
  }
}

const MET = { 'authorization-server-metadata': 'SUCCESS', 'authorization-code-grant': 'SUCCESS' }
/** Documents of vendors count where the owner lists their hosts: without any, a program that asked would wait in vain. */
const NOT_LISTED = { 'authorization-server-metadata-cimd': 'WARNING' }
const LISTED = { 'authorization-server-metadata-cimd': 'SUCCESS' }

test.each([
  ['as it comes', {}, { ...MET, ...NOT_LISTED }],
  ['that lists a vendor', { mcp: { client_metadata_hosts: ['vendor.example'] } }, { ...MET, ...LISTED }],
])(
  'the official suite for authorization servers, at a hub %s',
  async (_name, config, expected) => {
    expect(await runAuthorizationSuite(config)).toEqual(expected)
  },
  LIMIT_MS,
)
