/** So many submit one execution at once. */
export const SUBMITTERS = 10

/** One submission over HTTP, to any hub. */
export async function submit(url: string, bearer: string | undefined, input: object, wait_seconds = 20) {
  const response = await fetch(`${url}/api/v1/boundary/executions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ engine: 'probe', input, wait_seconds }),
  })
  const body: any = await response.json()
  return {
    status: response.status,
    code: body.code,
    idempotent: body.idempotent,
    state: body.execution?.state,
  }
}

/** Answers as a set, whatever order they came in. */
export const tally = (answers: readonly object[]) =>
  answers.map((answer) => JSON.stringify(answer)).toSorted()

/** The same answer so many times. */
export const times = (count: number, answer: object) => Array.from({ length: count }, () => answer)

/** What the one submitter hears whose submission counts, and what all others do. */
export const FIRST = { status: 201, idempotent: false, state: 'succeeded' }
export const LATER = { status: 201, idempotent: true, state: 'succeeded' }
