export interface OutgoingPost {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  /** No more of the answer than this is taken. */
  readonly limit_bytes: number
  readonly signal: AbortSignal
}

/**
 * Posts to an address that the owner has put into the configuration, which may be a private one. It follows nowhere, and
 * an answer that is too long is an error.
 */
export async function postOut(
  url: string,
  { headers, body, limit_bytes, signal }: OutgoingPost,
): Promise<{ status: number; body: Buffer }> {
  // Loaded when needed: most programs post nothing.
  const { request } = await import('undici')
  const all = { ...headers, 'user-agent': 'knowtation' }
  const answer = await request(url, { method: 'POST', headers: all, body, signal })
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer.body as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > limit_bytes) throw new Error('The answer is too long.')
    parts.push(part)
  }
  return { status: answer.statusCode, body: Buffer.concat(parts) }
}
