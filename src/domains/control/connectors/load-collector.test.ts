import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { PACKAGE_FOLDER } from '../../../platform/basics/package-folder.ts'
import { BUILTIN_COLLECTORS } from './builtin-collectors.ts'
import { loadCollector } from './load-collector.ts'
import type { ConnectorManifest } from './manifest-schema.ts'
import { ManifestSchema } from './manifest-schema.ts'
import { collectPages, openTestSource } from './source.fixture.ts'

const SHIPPED = join(PACKAGE_FOLDER, 'connectors')
const manifestOf = (id: string) =>
  ManifestSchema.parse(parse(readFileSync(join(SHIPPED, id, 'manifest.yaml'), 'utf8')))

describe('the connectors that come with the hub', () => {
  const ids = readdirSync(SHIPPED)
  test('are all there, each under the name of its folder', () => {
    expect(ids.toSorted()).toEqual([
      'amazon',
      'calendar',
      'feed',
      'folder',
      'git',
      'json_api',
      'mail',
      'tool_provider',
      'whatsapp',
    ])
    for (const id of ids) expect(manifestOf(id).connector_id).toBe(id)
  })

  test('have the collectors that they name, and no collector is without a connector', async () => {
    const named = ids.flatMap((id) => manifestOf(id).collector ?? [])
    expect(named.toSorted()).toEqual(
      Object.keys(BUILTIN_COLLECTORS)
        .map((name) => `builtin:${name}`)
        .toSorted(),
    )
    for (const id of ids.filter((name) => name !== 'whatsapp')) {
      const collector = await loadCollector(manifestOf(id), join(SHIPPED, id))
      expect([typeof collector.probe, typeof collector.collect]).toEqual(['function', 'function'])
    }
  })

  test('one that is not supported says why', async () => {
    const manifest = manifestOf('whatsapp')
    await expect(loadCollector(manifest, SHIPPED)).rejects.toMatchObject({
      code: 'refused',
      message: manifest.reason,
    })
  })

  test('a browser-bound one says what the owner has to do, and that nobody else can', () => {
    const { reason, setup_modality, oauth } = manifestOf('amazon')
    expect([setup_modality, oauth]).toEqual(['browser_bound', undefined])
    expect(reason).toMatch(/your own browser.*second factor.*No agent can do this for you/)
  })
})

const manifest = (collector: string): ConnectorManifest => ({
  ...manifestOf('feed'),
  connector_id: 'own',
  streams: ['things'],
  collector,
})
const page = (parts: string) =>
  `async *collect(source) { yield { stream: 'things', upserts: [], bytes: 0, checkpoint: null, ${parts} } }`

describe('a connector of the owner’s own', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'knowtation-connector-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 })
  const load = async (text: string) => {
    const name = `own_${readdirSync(folder).length}.mjs`
    write(name, `export const collector = { probe: async () => ({}), ${text} }`)
    return loadCollector(manifest(name), folder)
  }
  const faultOf = async (text: string, secrets: Record<string, string> = {}) => {
    await using source = openTestSource({ secrets })
    const outcome = await collectPages(await load(text), source).catch((error: unknown) => error)
    return { outcome, logged: source.logged.join('\n') }
  }
  test('is the module beside its manifest', async () => {
    await using source = openTestSource()
    const { records } = await collectPages(
      await load(page("upserts: [{ key: 'a', data: { n: 1 } }]")),
      source,
    )
    expect([...records]).toEqual([['things:a', { n: 1 }]])
  })

  test('may use a collector of the hub', async () => {
    await expect(loadCollector(manifest('builtin:feed'), folder)).resolves.toHaveProperty('collect')
    await expect(loadCollector(manifest('builtin:constructor'), folder)).rejects.toThrow('constructor')
  })

  test('is not loaded from elsewhere, through a link, or where others may write it', async () => {
    write('real.mjs', 'export const collector = {}')
    symlinkSync(join(folder, 'real.mjs'), join(folder, 'link.mjs'))
    for (const name of ['../own.mjs', '/etc/x.mjs', 'a/b.mjs', 'link.mjs', 'missing.mjs', 'real.mjs']) {
      await expect(loadCollector(manifest(name), folder)).rejects.toThrow()
    }
    write('open.mjs', 'globalThis.ran = true; export const collector = { probe() {}, collect() {} }')
    chmodSync(join(folder, 'open.mjs'), 0o666)
    await expect(loadCollector(manifest('open.mjs'), folder)).rejects.toThrow(/open\.mjs/)
    const inner = join(folder, 'shared')
    mkdirSync(inner)
    writeFileSync(join(inner, 'own.mjs'), 'globalThis.ran = true', { mode: 0o600 })
    chmodSync(inner, 0o777)
    await expect(loadCollector(manifest('own.mjs'), inner)).rejects.toThrow(/shared/)
    expect(globalThis).not.toHaveProperty('ran')
  })

  test.each([
    ['a stream it has not named', page("stream: 'other'"), 'bad_answer'],
    ['a page that is none', 'async *collect() { yield {} }', 'bad_answer'],
    ['a record without a key', page("upserts: [{ key: '', data: {} }]"), 'bad_answer'],
    ['a key without end', page("upserts: [{ key: 'x'.repeat(600), data: {} }]"), 'bad_answer'],
    [
      'too many records at once',
      page('upserts: Array.from({ length: 501 }, (_, n) => ({ key: String(n), data: {} }))'),
      'too_large',
    ],
  ])('is stopped at %s', async (_, text, code) => {
    expect((await faultOf(text)).outcome).toMatchObject({ name: 'SourceFault', code })
  })

  test('tells of its faults by their code; what else it throws may hold anything, and is dropped', async () => {
    const named =
      "Object.assign(new Error('gone'), { name: 'SourceFault', code: 'rate_limited', retry_after_seconds: 9 })"
    const known = await faultOf(`async *collect() { throw ${named} }`)
    expect(known.outcome).toMatchObject({
      code: 'rate_limited',
      message: 'gone',
      is_passing: true,
      retry_after_seconds: 9,
    })
    const other = await faultOf("async *collect() { throw new Error('sentinel-of-the-source') }")
    expect(other.outcome).toMatchObject({ code: 'bad_answer' })
    expect(String((other.outcome as Error).stack) + other.logged).not.toContain('sentinel')
  })

  test('lets a credential into no checkpoint, no fault and no log', async () => {
    const secrets = {
      key: 'sentinel-key-123',
      oauth: '{"access_token":"sentinel-access-9","issuer":"https://e"}',
    }
    const kept = await faultOf(
      "async *collect(s) { yield { stream: 'things', upserts: [], bytes: 0, checkpoint: { at: await s.secret('key') } } }",
      secrets,
    )
    expect(kept.outcome).toMatchObject({ code: 'bad_answer' })
    const told = await faultOf(
      `async *collect(s) {
        const { access_token } = JSON.parse(await s.secret('oauth'))
        await s.replaceSecret('key', 'sentinel-newer-77')
        s.log.warn({ access_token }, 'with sentinel-newer-77')
        throw Object.assign(new Error('no ' + access_token), { name: 'SourceFault', code: 'refused' })
      }`,
      secrets,
    )
    expect(told.outcome).toMatchObject({ code: 'refused', message: 'no [REDACTED]' })
    expect(told.logged).toContain('[REDACTED]')
    expect(JSON.stringify([kept, told, String((told.outcome as Error).stack)])).not.toContain('sentinel')
  })
})
