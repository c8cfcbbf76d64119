import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { AgentInput } from '../../src/boundary/index.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { ask, type BoundaryHub, inputOf, startBoundaryHub, traceRun } from './boundary-hub.ts'
import { type EngineScripts, writeEngineScripts } from './engine-scripts.ts'
import { goodAnswer, RawAnswer } from './probe-engine.ts'

/** An answer whose one payload is written as given; what stands around it is sound. */
function saying(input: Pick<AgentInput, 'executionId'>, payload: string | Uint8Array): Buffer {
  const full = { allowedArtifactTypes: ['site_plan'], allowedLineage: { dependsOnLedgerIds: ['led-100'] } }
  const text = JSON.stringify(goodAnswer(inputOf({ ...full, ...input })))
  const [before = '', after = ''] = text.split('{"plan":"A plan."}')
  return Buffer.concat([Buffer.from(before), Buffer.from(payload), Buffer.from(after)])
}

const bytes = (...parts: (string | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))))

const REFUSED: [string, string | Uint8Array][] = [
  ['a byte that is no UTF-8', bytes('{"plan":"caf', 0xe9, '"}')],
  ['half of a character', bytes('{"plan":"', 0xe2, 0x82, '"}')],
  ['a surrogate as bytes', bytes('{"plan":"', 0xed, 0xa0, 0x80, '"}')],
  ['a character written longer than it is', bytes('{"plan":"', 0xc0, 0xaf, '"}')],
  ['a whole number of too many digits', '{"id":12345678901234567890}'],
  ['the first whole number that no program holds', '{"id":9007199254740993}'],
  ['a fraction of too many digits', '{"share":0.1000000000000000055511151231257827}'],
  ['a number beyond every size', '{"size":1e400}'],
  ['a number that would become zero', '{"size":1e-400}'],
  ['a zero with a sign', '{"shift":-0}'],
  ['a zero with a sign and a fraction', '{"shift":[-0.0e5]}'],
  ['a key that readers lose', '{"a":{"__proto__":{"x":1}}}'],
  ['the same key as an escape', '{"a":{"\\u005f_proto__":1}}'],
  ['half of a surrogate pair', '{"plan":"\\ud83d"}'],
  ['half of a surrogate pair as a key', '{"\\udc00":1}'],
  ['two halves the wrong way round', '{"plan":"\\udc00\\ud800"}'],
  ['a key twice', '{"a":1,"\\u0061":2}'],
  ['a plain NUL', bytes('{"plan":"', 0, '"}')],
  ['depth without end', `${'{"a":'.repeat(80)}1${'}'.repeat(80)}`],
]

const KEPT: [string, string][] = [
  [
    'numbers written in other ways',
    '{"n":[1.0,1e2,1E-2,0.5,0.0,123456789012345680000,9007199254740992,5e-324]}',
  ],
  ['keys that differ only by their normal form', '{"caf\u00e9":1,"cafe\u0301":2}'],
  ['names of what objects bring along', '{"constructor":1,"toString":2,"prototype":3}'],
  ['NUL, controls and signs beyond the first plane as escapes', '{"plan":"a\\u0000b\\u001f\\ud83d\\ude00"}'],
  ['marks and separators', '{"\ufeffplan":"\ufeff\u2028\u202e\ufffd"}'],
  ['white space and numbers as keys', ' {\t"10" : 1,\r\n "9" : [ ] } '],
]

describe.each(DATABASES)('an answer on %s', (database) => {
  let hub: BoundaryHub
  let scripts: EngineScripts
  beforeAll(async () => {
    scripts = writeEngineScripts()
    hub = await startBoundaryHub({ database, engines: scripts.engines })
  })
  afterEach(() => void (hub.probe.answer = goodAnswer))
  afterAll(async () => {
    await hub.close()
    scripts[Symbol.dispose]()
  })

  /** Lets the command engine answer these bytes, whatever it is asked. */
  function print(answer: Uint8Array): void {
    const lines = [
      'import base64, sys',
      `out = base64.b64decode("${Buffer.from(answer).toString('base64')}")`,
    ]
    writeFileSync(
      join(scripts.folder, 'good.py'),
      `${lines.join('\n')}\nsys.stdin.read()\nsys.stdout.buffer.write(out)\n`,
    )
  }

  async function answers(way: 'http' | 'command', answer: (input: AgentInput) => Buffer) {
    const input = inputOf()
    hub.probe.answer = (given) => new RawAnswer(answer(given))
    if (way === 'command') print(answer(input))
    return traceRun(hub, input, { engine: way === 'http' ? 'probe' : 'good' })
  }

  describe.each(['http', 'command'] as const)('of an engine by %s', (way) => {
    test.each(REFUSED)('is refused for %s, with nothing written', async (_what, payload) => {
      const { outcome, made } = await answers(way, (input) => saying(input, payload))
      expect([outcome.status, outcome.error?.code, made]).toEqual(['failed', 'MODEL_OUTPUT_INVALID', 0])
    })

    test.each(KEPT)('is kept with %s', async (_what, payload) => {
      const { outcome, made } = await answers(way, (input) => saying(input, payload))
      expect([outcome.status, made]).toEqual(['succeeded', 2])
      const ledger_id = outcome.artifact_ledger_ids[0]
      const told = await ask(hub, 'ledger_show', { ledger_id })
      expect(told.body.entry.payload).toStrictEqual(JSON.parse(payload))
      const row = await hub.hub.db.get(
        sql<{ payload_json: string }>('SELECT payload_json FROM ledger_entries WHERE id = ?'),
        ledger_id,
      )
      expect(JSON.parse(row?.payload_json ?? '')).toStrictEqual(JSON.parse(payload))
    })

    test('is refused when something stands around the document', async () => {
      for (const [before, after] of [
        ['', bytes(0xe2, 0x82)],
        ['', bytes(0xff)],
        ['\ufeff\ufeff', ''],
        ['', '\ufeff'],
        ['', '\u0000'],
        ['[', ']'],
      ] as const) {
        const around = (input: AgentInput) =>
          Buffer.concat([Buffer.from(before), saying(input, '{}'), Buffer.from(after)])
        const { outcome, made } = await answers(way, around)
        expect([before, outcome.error?.code, made]).toEqual([before, 'MODEL_OUTPUT_INVALID', 0])
      }
    })
  })

  test.each([
    ['another charset', 'latin1', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['a charset of two bytes', 'utf16le', { 'content-type': 'application/json; charset=utf-16' }],
    ['two charsets', 'utf8', { 'content-type': 'application/json; charset=utf-8; charset=utf-16' }],
    ['a charset nobody knows', 'utf8', { 'content-type': 'application/json; charset=x-none' }],
  ] as const)('over HTTP in %s is refused', async (_what, encoding, headers) => {
    hub.probe.answer = (input) =>
      new RawAnswer(Buffer.from(saying(input, '{"plan":"caf\u00e9"}').toString(), encoding), headers)
    const { outcome, made } = await traceRun(hub, inputOf())
    expect([outcome.error?.code, made]).toEqual(['MODEL_OUTPUT_INVALID', 0])
  })

  test('over HTTP that is packed is refused: it was asked for as it is', async () => {
    const junk = Buffer.from('and more')
    for (const tail of [Buffer.alloc(0), junk]) {
      hub.probe.answer = (input) =>
        new RawAnswer(Buffer.concat([gzipSync(saying(input, '{}')), tail]), { 'content-encoding': 'gzip' })
      const { outcome, made } = await traceRun(hub, inputOf())
      expect([outcome.error?.code, made]).toEqual(['MODEL_OUTPUT_INVALID', 0])
    }
  })

  test('over HTTP may say that it is UTF-8, and in any spelling of that', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'text/plain',
    ]) {
      hub.probe.answer = (input) =>
        new RawAnswer(saying(input, '{"plan":"caf\u00e9"}'), { 'content-type': type })
      const { outcome } = await traceRun(hub, inputOf())
      expect([type, outcome.status]).toEqual([type, 'succeeded'])
    }
  })
})
