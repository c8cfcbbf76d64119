import { createServer as createWebServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type LookupFunction, type Server } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { openPoster, type Poster, type PosterOptions } from './post-event.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

function poster(options: PosterOptions = {}): Poster {
  const made = openPoster(options)
  open.push(() => made.close())
  return made
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  open.push(() => new Promise((closed) => server.close(closed)))
  return (server.address() as AddressInfo).port
}

/** Something on loopback that counts who comes, whatever they speak. */
async function startTrap(): Promise<{ port: number; visits: () => number }> {
  let visits = 0
  const port = await listen(
    createServer((socket) => {
      visits++
      socket.destroy()
    }),
  )
  return { port, visits: () => visits }
}

async function startWeb(answer: RequestListener): Promise<string> {
  const server = createWebServer(answer)
  open.push(async () => server.closeAllConnections())
  return `http://127.0.0.1:${await listen(server)}/`
}

/** Gives out the next of these answers at each question. */
function lookupOf(...answers: string[][]): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = []
  const lookup = ((hostname, options, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(hostname)
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }) as LookupFunction
  return { lookup, asked }
}

const REFUSED = { kind: 'failed', failure: 'refused_address' }

describe('a name that stands for this machine or its network', () => {
  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['10.0.0.1']],
    [['169.254.169.254']],
    [['::ffff:127.0.0.1']],
    [['::ffff:7f00:1']],
    [['64:ff9b::7f00:1']],
    [['fe80::1']],
    [['93.184.216.34', '127.0.0.1']],
    [['0.0.0.0']],
  ])('is not reached by %j', async (addresses) => {
    const trap = await startTrap()
    const { lookup, asked } = lookupOf(addresses)
    const sent = await poster({ lookup }).post(`https://hook.example.org:${trap.port}/`, {}, '{}')
    expect([sent, trap.visits(), asked]).toEqual([REFUSED, 0, ['hook.example.org']])
  })

  test('is not reached by changing what the name stands for between the questions', async () => {
    const trap = await startTrap()
    // Each connection asks once, and goes where the answer it judged leads: there is no second question.
    const { lookup, asked } = lookupOf(['10.0.0.1'], ['127.0.0.1'], ['93.184.216.34', '127.0.0.1'])
    const { post } = poster({ lookup })
    for (let turn = 0; turn < 4; turn++)
      expect(await post(`https://hook.example.org:${trap.port}/`, {}, '{}')).toEqual(REFUSED)
    expect([trap.visits(), asked.length]).toEqual([0, 4])
  })

  test('is not reached under the name localhost when that leads away from the machine', async () => {
    const { lookup } = lookupOf(['10.0.0.1'])
    expect(await poster({ lookup }).post('http://localhost:9000/', {}, '{}')).toEqual(REFUSED)
  })

  test('is judged again when it is used, whatever was stored', async () => {
    const trap = await startTrap()
    const { post } = poster()
    for (const host of ['127.0.0.2', '[::ffff:127.0.0.1]', '10.0.0.1', 'user@127.0.0.1'])
      expect(await post(`https://${host}:${trap.port}/`, {}, '{}')).toEqual(REFUSED)
    expect(trap.visits()).toBe(0)
  })
})

describe('a receiver', () => {
  test('on loopback is reached where the address names it, by its name too', async () => {
    const { lookup } = lookupOf(['127.0.0.1'])
    const url = await startWeb((_request, response) => void response.end('yes'))
    const { post } = poster({ lookup })
    for (const address of [url, url.replace('127.0.0.1', 'localhost')])
      expect(await post(address, {}, '{}')).toEqual({ kind: 'accepted', answer: 'yes' })
  })

  test('that leads elsewhere is not followed', async () => {
    const trap = await startTrap()
    const url = await startWeb((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${trap.port}/` }).end()
    })
    expect(await poster().post(url, {}, '{}')).toMatchObject({ kind: 'refused', status: 307 })
    expect(trap.visits()).toBe(0)
  })

  test('that does not answer, or not to the end, has its time', async () => {
    const silent = await startWeb(() => {})
    const dripping = await startWeb((_request, response) => {
      response.write('a')
    })
    const { post } = poster({ response_ms: 300 })
    for (const url of [silent, dripping])
      expect(await post(url, {}, '{}')).toEqual({ kind: 'failed', failure: 'timeout' })
  })

  test('that answers without end is read a little of', async () => {
    const url = await startWeb((_request, response) => {
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', pour)
      pour()
    })
    const sent = await poster().post(url, {}, '{}')
    expect(sent).toEqual({ kind: 'accepted', answer: 'x'.repeat(4_096) })
  })

  test('that is not there is a failure, and one that is left is not', async () => {
    const { port } = await startTrap()
    expect(await poster().post(`http://127.0.0.1:${port}/`, {}, '{}')).toEqual({
      kind: 'failed',
      failure: 'unreachable',
    })
    const arrived = Promise.withResolvers<void>()
    const silent = await startWeb(() => arrived.resolve())
    const leaving = openPoster()
    const sent = leaving.post(silent, {}, '{}')
    await arrived.promise
    await leaving.close()
    expect(await sent).toEqual({ kind: 'cancelled' })
  })
})
