import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Told {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly links: { traceId: string; spanId: string }[]
  readonly attributes: Record<string, string | number>
  readonly error: boolean
}

type Attribute = { key: string; value: { stringValue?: string; intValue?: number | string } }

const attributesOf = (list: Attribute[] = []) =>
  Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))

/** A receiver of OTLP on loopback, as a collector is one; it can be slow, refuse, or say nothing at all. */
export async function startReceiver(how: 'good' | 'silent' | 'refusing' = 'good') {
  const bodies: Buffer[] = []
  const paths: string[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    bodies.push(Buffer.concat(parts))
    paths.push(request.url ?? '')
    if (how === 'silent') return
    response.writeHead(how === 'good' ? 200 : 503, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const documents = (path: string) =>
    bodies.filter((_body, at) => paths[at] === path).map((body) => JSON.parse(body.toString()))
  return {
    url,
    paths,
    text: () => Buffer.concat(bodies).toString('latin1'),
    spans: (): Told[] =>
      documents('/v1/traces')
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map(({ attributes, links = [], parentSpanId, status, ...span }) => ({
          ...span,
          links,
          parentSpanId: parentSpanId || undefined,
          attributes: attributesOf(attributes),
          error: status?.code === 2,
        })),
    logs: () =>
      documents('/v1/logs')
        .flatMap(({ resourceLogs }) => resourceLogs)
        .flatMap(({ scopeLogs }) => scopeLogs)
        .flatMap(({ logRecords }) => logRecords)
        .map(({ body, severityText }) => ({ severity: severityText, text: body.stringValue as string })),
    service: () => attributesOf(documents('/v1/traces')[0]?.resourceSpans[0].resource.attributes),
    close() {
      server.closeAllConnections()
      return new Promise<void>((closed) => server.close(() => closed()))
    },
  }
}
