import type { Redact } from '../basics/redact-name.ts'
import type { HttpAnswer } from './http/http-call.ts'
import type { OnProgress } from './mcp/progress.ts'
import type { ListedTool, ToolListing, Vet } from './mcp/tool-listing.ts'
import { redactDeep } from './redact-values.ts'
import { UpstreamFailure } from './upstream-failure.ts'

/** A provider's answer, with every known credential taken out. */
export type UpstreamAnswer = { kind: 'mcp'; result: object } | HttpAnswer

/** Takes the credentials out of an answer. One nested too deep to be looked through is not passed on. */
export function cleanAnswer(redact: Redact, answer: UpstreamAnswer): UpstreamAnswer {
  try {
    if (answer.kind === 'mcp') return { kind: 'mcp', result: redactDeep(answer.result, redact) as object }
    const content_type = answer.content_type === null ? null : redact(answer.content_type)
    return { ...answer, content_type, body: redactDeep(answer.body, redact) }
  } catch {
    throw new UpstreamFailure('protocol', true)
  }
}

/** Of a definition nested too deep to be looked through the name is left. */
export function cleanListing(redact: Redact, { tools, unreadable, ...counts }: ToolListing): ToolListing {
  const cleaned = tools.map((tool) => findClean(tool, redact) ?? redact(tool.name))
  const readable = cleaned.filter((tool) => typeof tool !== 'string')
  const unclean = cleaned.filter((tool) => typeof tool === 'string')
  return { ...counts, tools: readable, unreadable: [...unreadable.map(redact), ...unclean] }
}

function findClean(tool: ListedTool, redact: Redact): ListedTool | undefined {
  try {
    return redactDeep(tool, redact) as ListedTool
  } catch {
    return undefined
  }
}

/** What cannot be looked through was not reviewed either. */
function requireClean(tool: ListedTool, redact: Redact): ListedTool {
  const clean = findClean(tool, redact)
  if (!clean) throw new UpstreamFailure('not_as_reviewed', false)
  return clean
}

/** Whoever vets sees what a listing shows: definitions without the provider's credentials, made once for each listing. */
export function cleanVets(): (redact: Redact, vet: Vet | undefined) => Vet | undefined {
  const kept = new WeakMap<Redact, WeakMap<readonly ListedTool[], readonly ListedTool[]>>()
  const cleaned = (listed: readonly ListedTool[], redact: Redact) => {
    const known = kept.get(redact) ?? new WeakMap()
    kept.set(redact, known)
    const held = known.get(listed) ?? listed.map((tool) => requireClean(tool, redact))
    known.set(listed, held)
    return held
  }
  return (redact, vet) => vet && ((listed) => vet(cleaned(listed, redact)))
}

/** Whoever hears of progress hears the tool's words without the provider's credentials. */
export function cleanProgress(redact: Redact, tell: OnProgress | undefined): OnProgress | undefined {
  if (!tell) return undefined
  return ({ message, ...note }) =>
    tell({ ...note, ...(message !== undefined && { message: redact(message) }) })
}
