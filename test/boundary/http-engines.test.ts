import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isSigned, serve } from '../../engines/typescript/serve.ts'
import {
  ask,
  type BoundaryHub,
  entryCount,
  inputOf,
  policyOf,
  run,
  SECRET,
  startBoundaryHub,
  traceRun,
} from './boundary-hub.ts'
import { goodAnswer, NEVER, type ProbeCall } from './probe-engine.ts'

describe('an engine over HTTP', () => {
  let hub: BoundaryHub
  beforeAll(async () => {
    hub = await startBoundaryHub()
  })
  afterEach(() => {
    hub.probe.answer = goodAnswer
    hub.write(hub.home.vaultPolicy('default'), policyOf(hub.probe))
  })
  afterAll(() => hub.close())

  /** Puts another engine in the probe's place. */
  function useEngine(changes: object): void {
    const probe = {
      kind: 'http',
      url: hub.probe.url,
      secret: 'env:ENGINE_SECRET',
      timeout_seconds: 20,
      ...changes,
    }
    hub.write(hub.home.vaultPolicy('default'), { engines: { probe } })
  }

  test('is sent the frozen input, signed, and can tell that it is new and its host’s', async () => {
    const input = inputOf()
    const { execution } = await traceRun(hub, input)
    const { body, headers } = hub.probe.calls.at(-1) as ProbeCall
    expect(body).toBe(JSON.stringify(input))
    expect(headers['webhook-id']).toBe(`${execution.run_id}.1`)
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60)
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const signature = createHmac('sha256', SECRET).update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${signature}`)
    expect(isSigned(SECRET, headers, body)).toBe(true)
    expect(isSigned('another', headers, body)).toBe(false)
    expect(isSigned(SECRET, headers, `${body} `)).toBe(false)
    expect(isSigned(SECRET, headers, body, Date.now() + 3_600_000)).toBe(false)
  })

  test('may be the sample engine, which asks for the signature', async () => {
    const server = serve(SECRET, 0)
    await new Promise((ready) => server.once('listening', ready))
    const { port } = server.address() as AddressInfo
    useEngine({ url: `http://127.0.0.1:${port}/` })
    expect((await traceRun(hub, inputOf())).execution.state).toBe('succeeded')
    useEngine({ url: `http://127.0.0.1:${port}/`, secret: 'env:KNOWTATION_JWT_SECRET' })
    const { execution, outcome } = await traceRun(hub, inputOf())
    expect([execution.state, outcome.error.code]).toEqual(['failed', 'ENGINE_UNAVAILABLE'])
    await new Promise((closed) => server.close(closed))
  })

  test.each([
    ['does not answer in time', { timeout_seconds: 1 }, () => NEVER, 'ENGINE_TIMEOUT'],
    ['answers too much', { max_output_bytes: 500 }, () => 'x'.repeat(5_000), 'ENGINE_FLOODED'],
    ['answers something else', {}, () => '<html>', 'MODEL_OUTPUT_INVALID'],
    ['has no secret set', { secret: 'env:NOT_SET_ANYWHERE' }, goodAnswer, 'ENGINE_UNAVAILABLE'],
    ['does not listen', { url: 'http://127.0.0.1:9/run' }, goodAnswer, 'ENGINE_UNAVAILABLE'],
  ] as const)('that %s ends typed, with nothing written', async (_what, changes, answer, code) => {
    useEngine(changes)
    hub.probe.answer = answer
    const { execution, made, outcome } = await traceRun(hub, inputOf())
    expect([execution.state, made, outcome.error.code]).toEqual(['failed', 0, code])
  })

  test('is followed nowhere else, and its errors are its own', async () => {
    const elsewhere = createServer((request, response) => {
      const status = Number(request.url?.slice(1))
      response.writeHead(status, { location: hub.probe.url, 'content-type': 'application/json' }).end('{}')
    })
    await new Promise<void>((ready) => elsewhere.listen(0, '127.0.0.1', ready))
    const { port } = elsewhere.address() as AddressInfo
    const seen: unknown[] = []
    for (const status of [302, 307, 204, 404, 500, 503]) {
      useEngine({ url: `http://127.0.0.1:${port}/${status}` })
      const { called, made, outcome } = await traceRun(hub, inputOf())
      seen.push([status, called, made, outcome.error.code])
    }
    expect(seen).toEqual([
      [302, 0, 0, 'ENGINE_UNAVAILABLE'],
      [307, 0, 0, 'ENGINE_UNAVAILABLE'],
      [204, 0, 0, 'ENGINE_UNAVAILABLE'],
      [404, 0, 0, 'ENGINE_UNAVAILABLE'],
      [500, 0, 0, 'ENGINE_CRASHED'],
      [503, 0, 0, 'ENGINE_CRASHED'],
    ])
    await new Promise((closed) => elsewhere.close(closed))
  })

  test('at a private address that only a name leads to is not called', async () => {
    const { port } = new URL(hub.probe.url)
    useEngine({ url: `http://localhost:${port}/run` })
    expect((await traceRun(hub, inputOf())).execution.state).toBe('succeeded')
    useEngine({ url: 'https://10.0.0.1.nip.invalid/run' })
    expect((await traceRun(hub, inputOf())).outcome.error.code).toBe('ENGINE_UNAVAILABLE')
  })

  test('that answers after it was cancelled changes nothing', async () => {
    const reached = new Promise<() => void>((called) => {
      hub.probe.answer = (input) => new Promise((answer) => called(() => answer(goodAnswer(input))))
    })
    const count = await entryCount(hub)
    const { run_id } = (await run(hub, inputOf(), { wait_seconds: 0 })).body.execution
    const answerLate = await reached
    await ask(hub, 'boundary_cancel', { run_id })
    answerLate()
    await new Promise((go) => setTimeout(go, 200))
    const { execution } = (await ask(hub, 'boundary_show', { run_id })).body
    expect([execution.state, await entryCount(hub)]).toEqual(['cancelled', count])
  })
})
