import { Refused, refusalOf } from './client'

/**
 * What changes how the owner is known (password, passkeys, the session) is done by routes of the hub's own, which answer with
 * a cookie that no script reads. They take a value that only a page of the hub can ask for.
 */
export async function ceremony(path: string, fields: object): Promise<unknown> {
  const { form_token } = (await answered(fetch('/owner/form-token'))) as { form_token: string }
  return answered(
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ form_token, ...fields }),
    }),
  )
}

async function answered(asked: Promise<Response>): Promise<unknown> {
  const response = await asked.catch(() => {
    throw new Refused(0, 'UNREACHABLE', 'The hub does not answer.')
  })
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const body: unknown = isJson ? await response.json() : undefined
  if (response.ok) return body
  throw refusalOf(response.status, body)
}
