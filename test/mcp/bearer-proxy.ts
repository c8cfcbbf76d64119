import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A running proxy and its address, with the hub's path. */
export interface BearerProxy {
  url: string
  close(): Promise<void>
}

/**
 * The conformance runner cannot send an Authorization header. This proxy adds it and changes nothing
 * else, except that a Host or Origin naming the proxy itself becomes the hub's: every other value must
 * reach the hub as sent, or the scenario about DNS rebinding would test the proxy.
 */
export async function startBearerProxy(hubUrl: string, token: string): Promise<BearerProxy> {
  const hub = new URL(hubUrl)
  const portOf = () => (proxy.address() as AddressInfo).port
  const proxy = createServer((incoming, answer) => {
    const headers = onwardHeaders(incoming.headers, portOf(), hub.host, token)
    const { url: path, method } = incoming
    const onward = request({ host: hub.hostname, port: hub.port, path, method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    answer.on('close', () => onward.destroy())
    onward.on('error', () => answer.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${portOf()}${hub.pathname}`,
    async close() {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}

function onwardHeaders(headers: IncomingHttpHeaders, port: number, host: string, token: string) {
  const own = new RegExp(`(127\\.0\\.0\\.1|localhost):${port}`)
  return {
    ...headers,
    ...(headers.host !== undefined && { host: headers.host.replace(own, host) }),
    ...(headers.origin !== undefined && { origin: headers.origin.replace(own, host) }),
    authorization: `Bearer ${token}`,
  }
}
