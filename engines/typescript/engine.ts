import { stderr, stdin, stdout } from 'node:process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** The parts of the AgentInput that this engine works with; `knowtation boundary schema input` has all. */
export interface Input {
  executionId: string
  objective: { type: string; action: string; payload: { site?: string } }
  constraints: { maxPages?: number }
  intelligenceSnapshot: { signals?: Signal[] }
  allowedLineage: { dependsOnLedgerIds: string[] }
  allowedArtifactTypes: string[]
}

/** A hint of what visitors look for: a topic such as `pricing/teams`, and how much it matters. */
interface Signal {
  topic: string
  weight?: number
}

const DEFAULT_PAGES = 12

/** Plans a site: one section per leading topic, the weightiest pages first. Replace this with your own work. */
export function planSite(input: Input, progress: (share: number, note: string) => void) {
  const signals = input.intelligenceSnapshot.signals ?? []
  const pages = new Map<string, number>()
  for (const { topic, weight = 1 } of signals) pages.set(topic, (pages.get(topic) ?? 0) + weight)
  progress(0.5, `${pages.size} topics weighed`)
  const ranked = [...pages].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const kept = ranked.slice(0, input.constraints.maxPages ?? DEFAULT_PAGES)
  const sections = Map.groupBy(kept, ([topic]) => topic.split('/')[0])
  return {
    site: input.objective.payload.site ?? null,
    sections: [...sections].map(([name, found]) => ({
      name,
      pages: found.map(([topic, weight]) => ({ path: `/${topic}`, weight })),
    })),
    left_out: ranked.length - kept.length,
  }
}

/** What goes back to the host. The host checks every part of it and keeps nothing that does not fit. */
export function answer(input: Input, progress: (share: number, note: string) => void = () => {}): object {
  const { executionId } = input
  if (!input.allowedArtifactTypes.includes('site_plan')) {
    const error = {
      code: 'VALIDATION_ERROR',
      message: 'This engine makes site plans only.',
      retryable: false,
    }
    return { ok: false, executionId, status: 'failed', error }
  }
  const artifact = {
    type: 'site_plan',
    payload: planSite(input, progress),
    // Only ids that were handed over may be named here.
    dependsOnLedgerIds: input.allowedLineage.dependsOnLedgerIds,
    metadata: { generatedAt: new Date().toISOString(), model: 'sample-site-planner' },
  }
  return { ok: true, executionId, status: 'succeeded', artifacts: [artifact] }
}

/** Progress goes to stderr, a line of JSON each. */
function report(progress: number, note: string): void {
  stderr.write(`${JSON.stringify({ progress, note })}\n`)
}

/** One JSON document in, one out. */
async function main(): Promise<void> {
  const input = JSON.parse(await text(stdin)) as Input
  stdout.write(`${JSON.stringify(answer(input, report))}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
