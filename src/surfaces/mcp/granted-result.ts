import { compilePayloadCheck } from '../../platform/upstream/payload-schema.ts'

const COME_BACK =
  'The owner of the hub has to approve this call first, and was asked. Nothing was done yet. Call the same tool again with exactly the same arguments to wait for the answer; it is carried out once, however often you call.'
const UNFIT =
  'The tool was carried out. Its structured answer does not fit the output schema that its server declares, or did not after credentials were taken out of it: it is here as text. Calling again would carry it out again.'

/** What an agent is told that has to come back, for programs and for models. */
export function pendingResultOf(text: string, schema: object | undefined): string {
  const content = asText([text, COME_BACK])
  // Clients take nothing but an error for an answer without what the schema says.
  return JSON.stringify(
    schema ? { content, isError: true } : { content, structuredContent: JSON.parse(text) },
  )
}

interface OwnResult {
  readonly content?: unknown
  readonly structuredContent?: unknown
  readonly isError?: unknown
}

/** The agent gets what the tool itself answered, as if it had called it directly. */
export function ownResultOf(text: string, schema: object | undefined): string | undefined {
  const { result } = JSON.parse(text) as { result?: OwnResult }
  if (!result || !Array.isArray(result.content)) return undefined
  const { content, structuredContent, isError } = result
  const fits = !schema || (structuredContent !== undefined && compilePayloadCheck(schema)(structuredContent))
  if (fits) return JSON.stringify({ content, structuredContent, isError })
  if (isError === true) return JSON.stringify({ content, isError })
  const shown =
    content.length > 0 || structuredContent === undefined ? [] : [JSON.stringify(structuredContent)]
  return JSON.stringify({ content: [...content, ...asText([...shown, UNFIT])], isError: true })
}

function asText(parts: readonly string[]): object[] {
  return parts.map((text) => ({ type: 'text', text }))
}
