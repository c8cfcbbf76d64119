import type { LookupFunction } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { chunkDocument } from '../chunking/chunk-document.ts'
import { BackendUnavailable, isLoopbackUrl, LoopbackRefused } from '../loopback-http.ts'
import { type Answering, answerJson, startLoopbackServer } from '../loopback-server.fixture.ts'
import { type OllamaOptions, openOllamaEmbedder } from './ollama-embedder.ts'
import { startOllama } from './ollama-server.fixture.ts'
import { scaleVector } from './vector-scan.ts'

const QUICK = { timeout_ms: 400, answer_bytes: 20_000 }
const lengthOf = (vector: Int8Array) => Math.hypot(...vector)

/** An embedder whose service answers as told. */
async function using(answer: Answering, work: (options: OllamaOptions) => Promise<void>): Promise<void> {
  await using server = await startLoopbackServer(answer)
  await work({ url: server.url, limits: QUICK })
}

async function faultOf(options: OllamaOptions): Promise<BackendUnavailable> {
  const embedder = openOllamaEmbedder(options)
  try {
    const error = await embedder.embedQuery('words').then(
      () => undefined,
      (fault: unknown) => fault,
    )
    expect(error).toBeInstanceOf(BackendUnavailable)
    expect((error as BackendUnavailable).setting).toBe('knowledge.embedder.url')
    return error as BackendUnavailable
  } finally {
    embedder.close()
  }
}

describe('the embedder over Ollama', () => {
  it('gives a vector of the common length for each chunk and for a query, in few requests', async () => {
    await using server = await startOllama()
    const embedder = openOllamaEmbedder({ url: server.url })
    const text = Array.from({ length: 70 }, (_, at) => `# Part ${at}\nelephants are grey\n`).join('')
    const chunks = chunkDocument('a.md', text)
    const vectors = await embedder.embedChunks('a.md', chunks)
    expect([vectors.length, embedder.dimensions]).toEqual([70, 64])
    for (const vector of vectors) expect(Math.abs(lengthOf(vector) - 127)).toBeLessThan(3)
    expect(await embedder.embedQuery('grey elephants')).toHaveLength(64)
    expect(server.asked.map(({ body }) => (body as { input: string[] }).input.length)).toEqual([32, 32, 6, 1])
    expect(await embedder.embedChunks('none.md', [])).toEqual([])
    embedder.close()
  })

  it('marks texts and queries for the model that was trained so, and for no other', async () => {
    for (const [model, marks] of [
      ['nomic-embed-text', ['search_document: a.md', 'search_query: why']],
      ['all-minilm', ['a.md', 'why']],
    ] as const) {
      await using server = await startOllama(model)
      const embedder = openOllamaEmbedder({ url: server.url, model })
      expect(embedder.id).toContain(model)
      await embedder.embedChunks('a.md', chunkDocument('a.md', 'because'))
      await embedder.embedQuery('why')
      const sent = server.asked.map(({ body }) => (body as { input: string[] }).input[0]?.split('\n')[0])
      expect(sent).toEqual(marks)
      embedder.close()
    }
  })

  it('tells what the service says went wrong', async () => {
    await using server = await startOllama('another')
    expect((await faultOf({ url: server.url })).message).toMatch(/404: model "nomic-embed-text" not found/)
    await server[Symbol.asyncDispose]()
    expect((await faultOf({ url: server.url })).message).toMatch(/cannot be reached \(ECONNREFUSED\)/)
  })
})

describe('an answer of Ollama that is none', () => {
  it.each<[string, unknown]>([
    ['without vectors', {}],
    ['empty', null],
    ['with too few vectors', { embeddings: [] }],
    ['with too many vectors', { embeddings: [[1], [2]] }],
    ['with a vector of nothing', { embeddings: [[]] }],
    ['with texts in it', { embeddings: [['1']] }],
    ['with no numbers', { embeddings: [[1, null]] }],
    ['with too many dimensions', { embeddings: [Array.from({ length: 8_193 }, () => 1)] }],
  ])('%s is refused', async (_what, body) => {
    await using(
      (_asked, response) => answerJson(response, 200, body),
      async (options) => {
        expect((await faultOf(options)).message).toMatch(
          /gave (?:not one vector|something that is no vector)/,
        )
      },
    )
  })

  it('whose dimensions change is refused, also within one answer', async () => {
    const answers = [[[1, 2, 3]], [[1, 2]]]
    await using(
      (_asked, response) => answerJson(response, 200, { embeddings: answers.shift() }),
      async (options) => {
        const embedder = openOllamaEmbedder(options)
        await embedder.embedQuery('one')
        await expect(embedder.embedQuery('two')).rejects.toThrow('gave 2 dimensions after 3')
        embedder.close()
      },
    )
    await using(
      (_asked, response) => answerJson(response, 200, { embeddings: [[1, 2], [1]] }),
      async (options) => {
        const embedder = openOllamaEmbedder(options)
        const chunks = chunkDocument('a.md', '# One\nwords\n# Two\nwords\n')
        await expect(embedder.embedChunks('a.md', chunks)).rejects.toThrow('gave 1 dimensions after 2')
        embedder.close()
      },
    )
  })

  it('that is no JSON, too large, endless, late or cut off is given up', async () => {
    const cases: [Answering, RegExp][] = [
      [(_asked, response) => void response.end('<html>'), /no JSON/],
      [(_asked, response) => void response.end('x'.repeat(30_000)), /more than it may/],
      [(_asked, response) => trickle(response), /in time|more than it may/],
      [() => {}, /in time/],
      [(_asked, response) => void response.writeHead(200, { 'content-length': 99 }).write('{'), /in time/],
      [(_asked, response) => void response.destroy(), /cannot be reached/],
    ]
    for (const [answer, words] of cases)
      await using(answer, async (options) => expect((await faultOf(options)).message).toMatch(words))
  })

  it('that leads elsewhere is not followed', async () => {
    await using target = await startOllama()
    await using(
      (_asked, response) => void response.writeHead(307, { location: `${target.url}/api/embed` }).end('{}'),
      async (options) => expect((await faultOf(options)).message).toMatch(/status 307/),
    )
    expect(target.asked).toEqual([])
  })
})

/** Goes on for ever, a little at a time. */
function trickle(response: Parameters<Answering>[1]): void {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '.repeat(100)), 10)
  response.on('close', () => clearInterval(timer))
}

const ELSEWHERE = [
  'http://example.test:11434',
  'http://192.168.1.5:11434',
  'http://0.0.0.0:11434',
  'http://[::]:11434',
  'http://[::ffff:8.8.8.8]',
  'http://localhost.example.test',
  'http://127.0.0.1.example.test',
  'http://notlocalhost',
  'https://localhost:11434',
  'http://user@localhost',
  'http://user:word@127.0.0.1',
  'http://localhost/path',
  'http://localhost/?to=http://example.test',
  'ftp://localhost',
  'unix:/run/ollama.sock',
  'localhost:11434',
  '',
]

verifies('TOOL-109', 'an address of another machine is refused, by the name of the setting', async () => {
  for (const url of ELSEWHERE) {
    expect([url, isLoopbackUrl(url)]).toEqual([url, false])
    expect(() => openOllamaEmbedder({ url })).toThrow(LoopbackRefused)
    expect(() => openOllamaEmbedder({ url })).toThrow(/knowledge\.embedder\.url/)
  }
  for (const url of [
    'http://localhost',
    'http://127.9.9.9:1',
    'http://[::1]:11434/',
    'http://ai.localhost:2',
  ])
    expect([url, isLoopbackUrl(url)]).toEqual([url, true])
})

/** Names are turned into these addresses. */
function answering(...addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_name, { all }, callback) =>
    all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)
}

verifies(
  'TOOL-109',
  'a local name that leads to another machine is refused before anything is sent',
  async () => {
    await using server = await startOllama()
    const url = server.url.replace('127.0.0.1', 'localhost')
    for (const lookup of [
      answering('203.0.113.7'),
      answering('127.0.0.1', '203.0.113.7'),
      answering('fe80::1'),
    ])
      await expect(openOllamaEmbedder({ url, lookup }).embedQuery('words')).rejects.toThrow(LoopbackRefused)
    expect(server.asked).toEqual([])
    const embedder = openOllamaEmbedder({ url, lookup: answering('127.0.0.1') })
    expect(await embedder.embedQuery('words')).toHaveLength(64)
    embedder.close()
  },
)

it('scales whatever numbers there are to one length, and keeps their direction', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 64 }),
      (values) => {
        const scaled = scaleVector(values)
        expect(scaled).toHaveLength(values.length)
        if (values.every((value) => value === 0)) return expect(scaled.every((one) => one === 0)).toBe(true)
        expect(Math.abs(lengthOf(scaled) - 127)).toBeLessThanOrEqual(Math.sqrt(values.length) / 2 + 1e-6)
        values.forEach((value, at) =>
          expect(Math.sign(scaled[at] ?? 0) * Math.sign(value)).toBeGreaterThanOrEqual(0),
        )
      },
    ),
  )
})
