import type { ServerResponse } from 'node:http'

/** Aborts when the client leaves before it was answered: closing the response cancels the call. */
export function abortWhenClosed(response: ServerResponse): AbortSignal {
  const abort = new AbortController()
  response.once('close', () => {
    if (!response.writableEnded) abort.abort()
  })
  return abort.signal
}
