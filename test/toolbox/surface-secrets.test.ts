import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/domains/toolbox/define-tool.ts'
import { TOOL_ROLES } from '../../src/domains/toolbox/tool-context.ts'
import { ToolFault } from '../../src/domains/toolbox/tool-fault.ts'
import { fakeProviderTokens, fakeText } from '../../src/platform/redaction/fixtures/fake-secrets.ts'
import { verifies } from '../requirements/verifies.ts'
import { callDirectly, registry, startToolHub, type ToolHub, toolNames, WAYS } from './surface-hub.fixture.ts'

const KEY = fakeProviderTokens().openai_key as string
const TOKEN = fakeProviderTokens().github_token as string
const PLAIN = 'plainvalue123'
const SENTINEL = `tok-${fakeText(20, 9)}`
const MARK = /\[REDACTED:[a-z_]+\]/

let tools: ToolHub
beforeAll(async () => {
  const env = { FOO: PLAIN, SHORT: 'abcde', LANG: 'C.UTF-8-marker' }
  tools = await startToolHub(undefined, { env })
  const { write } = tools.project
  write('services/web/src/key.txt', `key ${KEY}\nvalue ${PLAIN}\nshort abcde C.UTF-8-marker\n`)
  write('services/web/src/prints.mjs', `console.log('out ${KEY}')\nconsole.error('err ${TOKEN} ${PLAIN}')\n`)
  write('services/web/src/fails.mjs', `console.log('out ${KEY}')\nthrow new Error('err ${TOKEN} ${PLAIN}')\n`)
  write('services/web/src/seen.txt', `${SENTINEL}\n`)
})
afterAll(() => tools[Symbol.asyncDispose]())

function expectClean(text: string): void {
  for (const secret of [KEY, TOKEN, PLAIN]) expect(text).not.toContain(secret)
}

describe.each(WAYS)('what is secret, by %s', (way) => {
  verifies(
    ['TOOL-006', 'TOOL-125', 'TOOL-128', 'TOOL-129'],
    'is marked in files, in what is found, and in errors',
    async () => {
      const read = await tools.call(way, 'read_file', { path: 'src/key.txt' })
      expectClean(read.text)
      expect(read.data.content).toMatch(
        /^key \[REDACTED:\w+\]\nvalue \[REDACTED:\w+\]\nshort abcde C.UTF-8-marker\n$/,
      )
      const found = await tools.call(way, 'search_file', { path: '.', regex: 'key|value', recursive: true })
      expect(found.data.matches.length).toBeGreaterThanOrEqual(2)
      expect(found.text).toMatch(MARK)
      expectClean(found.text)
      const missing = await tools.call(way, 'read_file', { path: `src/${KEY}` })
      expect(missing.error?.code).toBe('FileNotFound')
      expect(missing.error?.message).toMatch(MARK)
      expectClean(missing.text)
    },
  )

  verifies(['TOOL-006', 'TOOL-125', 'TOOL-128', 'TOOL-101'], 'is marked in stdout and stderr', async () => {
    const done = await tools.call(way, 'run_test', { target: 'src/prints.mjs' })
    expect(done.status, done.text).toBe('success')
    expect(done.data.stdout).toMatch(/^out \[REDACTED/)
    expect(done.data.stderr).toMatch(/^err \[REDACTED:\w+\] \[REDACTED/)
    const failed = await tools.call(way, 'run_test', { target: 'src/fails.mjs' })
    expect(failed.error?.code).toBe('CommandFailed')
    expect(failed.error?.details.stdout).toMatch(MARK)
    expect(failed.error?.details.stderr).toMatch(MARK)
    expectClean(done.text + failed.text)
  })
})

/** More than may be sent on: the redactor refuses to look into it. */
function deep(): object {
  let value: object = { secret: KEY, plain: 'raw output' }
  for (let depth = 0; depth < 2_000; depth++) value = { value }
  return value
}

describe('a redactor that fails', () => {
  const declared = { effect: 'read', roles: TOOL_ROLES, input: z.strictObject({}) } as const
  const description = 'Answers with more than can be looked through.'

  verifies('TOOL-129', 'lets nothing out, neither of data nor of an error', async () => {
    const output = z.unknown()
    const answers = defineTool({ ...declared, name: 'deep_data', description, output, handle: deep })
    const faults = defineTool({
      ...declared,
      name: 'deep_fault',
      description,
      output,
      handle(): never {
        throw new ToolFault('CommandFailed', `raw output ${KEY}`, 'raw output', { details: { deep: deep() } })
      },
    })
    for (const tool of [answers, faults]) {
      const { ok, text } = await callDirectly(tools, tool, {})
      expect(ok).toBe(false)
      expect(JSON.parse(text)).toEqual({
        status: 'error',
        error: { code: 'InternalError', message: 'The tool failed.', suggestion: expect.any(String) },
        metadata: { duration_ms: expect.any(Number), security_checks: expect.any(String) },
      })
      expect(text).not.toContain('raw output')
    }
    expect(tools.hub.logged.join('')).not.toContain('raw output')
  })

  test('that the policy would make is no redactor: the policy counts as damaged', async () => {
    const before = tools.project.read('.flow/config.json')
    const secrets = { exceptions: { read_file: ['no_such_rule'] } }
    tools.project.write('.flow/config.json', JSON.stringify({ secrets }))
    const { error, text } = await tools.call('rest', 'read_file', { path: 'src/key.txt' })
    tools.project.write('.flow/config.json', before)
    expect(error?.code).toBe('ConfigDamaged')
    expectClean(text)
  })
})

describe('the access token of a seat', () => {
  verifies('TOOL-020', 'is in no result, no log, no record and no file of the hub', async () => {
    const said: string[] = []
    const changes = { access_token: SENTINEL, agent_id: 'holder' }
    for (const tool of toolNames) {
      const authority = registry.get(tool)?.authority
      const role = authority?.kind === 'seat' ? (authority.roles[0] as string) : ''
      const names = Object.keys(registry.get(tool)?.input.shape ?? {})
      for (const value of [SENTINEL, `../${SENTINEL}`, [SENTINEL]]) {
        const args = Object.fromEntries(names.map((name) => [name, value]))
        said.push((await callDirectly(tools, tool, args, { ...changes, role })).text)
      }
    }
    for (const way of ['direct', 'cli'] as const) {
      for (const path of ['src/seen.txt', `../${SENTINEL}`, `src/${SENTINEL}`])
        said.push((await tools.call(way, 'read_file', { path }, changes)).text)
    }
    expect(said.join('\n')).toMatch(MARK)
    expect(said.join('\n')).not.toContain(SENTINEL)
    expect(JSON.stringify(await tools.owner('GET', '/api/v1/toolbox/violations?limit=200'))).toContain(
      'holder',
    )
    await tools.hub.hub.refusals.flushAll()
    expect(tools.hub.logged.join('')).not.toContain(SENTINEL)
    expect(filesHolding(tools.hub.home.folder, SENTINEL)).toEqual([])
    expect(filesHolding(tools.hub.home.folder, 'holder').length).toBeGreaterThan(0)
  })
})

/** The files below a folder that hold a text, as bytes. */
function filesHolding(folder: string, text: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.filter((path) => readFileSync(path).includes(text))
}
