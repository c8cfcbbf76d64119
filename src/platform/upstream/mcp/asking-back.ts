import { UpstreamFailure } from '../upstream-failure.ts'

const MAX_ROUNDS = 8

interface AskingBack {
  readonly inputRequests?: unknown
  readonly requestState?: unknown
}

/**
 * Asks until the answer is whole. Since 2026-07-28 a server may answer with questions, and with a note that it wants to
 * see again. The hub has nobody to ask: it declines, and what comes of that is for the server to say.
 */
export async function askUntilWhole(
  ask: (params: object) => Promise<unknown>,
  params: object,
): Promise<unknown> {
  let result = await ask(params)
  for (let round = 0; asksBack(result); round++) {
    if (round === MAX_ROUNDS) throw new UpstreamFailure('protocol', true)
    result = await ask({ ...params, ...replyTo(result) })
  }
  const { resultType: _, ...whole } = Object(result) as { resultType?: unknown }
  return whole
}

function asksBack(result: unknown): result is AskingBack {
  return (Object(result) as { resultType?: unknown }).resultType === 'input_required'
}

/** The note goes back as it came, and only with this request. */
function replyTo({ inputRequests, requestState }: AskingBack): object {
  if (requestState !== undefined && typeof requestState !== 'string')
    throw new UpstreamFailure('protocol', true)
  const inputResponses = inputRequests === undefined ? undefined : declined(inputRequests)
  return { ...(inputResponses && { inputResponses }), ...(requestState !== undefined && { requestState }) }
}

function declined(inputRequests: unknown): object {
  const asked = Object.entries(Object(inputRequests) as Record<string, unknown>)
  return Object.fromEntries(
    asked.map(([name, request]) => {
      const { method } = Object(request) as { method?: unknown }
      // To the others there is no answer that means no.
      if (method !== 'elicitation/create') throw new UpstreamFailure('protocol', true)
      return [name, { action: 'decline' }]
    }),
  )
}
