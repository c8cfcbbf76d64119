// A receiver of events in a thread of its own: it proves itself, counts, and says when it has all.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parentPort } from 'node:worker_threads'

const expected = new Map<string, number>()
let count = 0
let faults = 0

const server = createServer(async (request, response) => {
  const event = JSON.parse(await text(request)) as {
    type: string
    source: string
    sequence: string
    data: { challenge?: string }
  }
  if (event.type === 'pdpp.subscription.verify') {
    response.setHeader('content-type', 'application/json')
    return void response.end(JSON.stringify({ challenge: event.data.challenge }))
  }
  const next = expected.get(event.source) ?? 1
  if (Number(event.sequence) !== next) faults++
  expected.set(event.source, Number(event.sequence) + 1)
  count++
  response.writeHead(204).end()
})
parentPort?.on('message', () => parentPort?.postMessage({ count, faults }, []))
server.listen(0, '127.0.0.1', () =>
  parentPort?.postMessage({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }, []),
)
