import { type Received, send } from '../rest/rest-hub.fixture.ts'

/** A token that the hub said it made. */
export interface Acknowledged {
  token_id: string
  bearer: string
}

const CREATE = { method: 'POST', path: '/api/v1/tokens', body: '{"role":"viewer"}' }

export function createToken(url: string, bearer: string): Promise<Received> {
  return send(url, { ...CREATE, bearer })
}

export function listFlows(url: string, bearer: string): Promise<Received> {
  return send(url, { path: '/api/v1/flows', bearer })
}

export function whoami(url: string, bearer: string): Promise<Received> {
  return send(url, { path: '/api/v1/whoami', bearer })
}

/** What a 201 acknowledged. */
export function acknowledged({ text }: Received): Acknowledged {
  const { token, bearer } = JSON.parse(text) as { token: { token_id: string }; bearer: string }
  return { token_id: token.token_id, bearer }
}

/** Calls again and again until told to stop or the hub is gone; answers how often it was answered so. */
export async function keepCalling(
  stop: AbortSignal,
  status: number,
  call: () => Promise<Received>,
  onAnswer: (answer: Received) => void = () => {},
): Promise<number> {
  let answered = 0
  while (!stop.aborted) {
    const answer = await call().catch(() => undefined)
    if (!answer) return answered
    if (answer.status !== status) throw new Error(`Answered ${answer.status}: ${answer.text}`)
    answered++
    onAnswer(answer)
  }
  return answered
}
