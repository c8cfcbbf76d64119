import { z } from 'zod'

const meta = z.record(z.string(), z.unknown()).optional()
const annotations = z
  .object({
    audience: z.array(z.enum(['user', 'assistant'])).optional(),
    priority: z.number().min(0).max(1).optional(),
    lastModified: z.iso.datetime({ offset: true }).optional(),
  })
  .optional()
const base64 = z.string().refine(isBase64)
const word = z.string().optional()
const common = { annotations, _meta: meta }

const icons = z
  .array(
    z.object({
      src: z.string(),
      mimeType: word,
      sizes: z.array(z.string()).optional(),
      theme: z.enum(['light', 'dark']).optional(),
    }),
  )
  .optional()
const contents = { uri: z.string(), mimeType: word, _meta: meta }

const ContentItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), ...common }),
  z.object({ type: z.literal(['image', 'audio']), data: base64, mimeType: z.string(), ...common }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    title: word,
    description: word,
    mimeType: word,
    size: z.number().optional(),
    icons,
    ...common,
  }),
  z.object({
    type: z.literal('resource'),
    resource: z.union([z.object({ ...contents, text: z.string() }), z.object({ ...contents, blob: base64 })]),
    ...common,
  }),
])

const ToolAnswer = z.object({
  content: z.array(ContentItem).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
})

/**
 * The answer of a tool, if it is one that MCP clients can read; they throw away a whole answer, and with it what the
 * tool did, over one piece of an unknown kind.
 */
export function findToolAnswer(result: unknown): object | undefined {
  if (!ToolAnswer.safeParse(result).success) return undefined
  const { content, structuredContent } = result as z.infer<typeof ToolAnswer>
  if (structuredContent !== undefined && !isRecord(structuredContent))
    return withoutStructure(result as object, content)
  if (content) return result as object
  // Clients read a structured answer alone as one with nothing to show beside it.
  return structuredContent && { content: [], ...(result as object) }
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Since 2026-07-28 any value may be structured, which clients before it do not take: beside it, it stands as text. */
function withoutStructure(result: object, content: readonly unknown[] = []): object {
  const { structuredContent, ...rest } = result as { structuredContent?: unknown }
  const shown = content.length > 0 ? content : [{ type: 'text', text: JSON.stringify(structuredContent) }]
  return { ...rest, content: shown }
}

/**
 * The answer after secrets were taken out of it. A picture or another piece that has a mark in it now can be read by
 * nobody: the mark alone is left in its place, as text.
 */
export function withReadableContent(answer: object, mark: string): object {
  const { content } = answer as { content?: unknown }
  if (!Array.isArray(content)) return answer
  return {
    ...answer,
    content: content.map((item) => (isReadable(item) ? item : { type: 'text', text: mark })),
  }
}

function isReadable(item: { type?: unknown }): boolean {
  return item.type === 'text' || ContentItem.safeParse(item).success
}

// Asked the way clients ask it: what this takes, they take.
function isBase64(text: string): boolean {
  try {
    atob(text)
    return true
  } catch {
    return false
  }
}
