import { MAX_RENDERED_BYTES } from '../bundle/limits.ts'

/** A text of whole steps, and the note to record when some did not fit. */
export type Fitted = { rendered: string; note: string | null }

/** Joins a header and one section per step, leaving out the last steps that would pass the byte limit. */
export function fitSteps<Step>(
  header: string,
  steps: readonly Step[],
  renderSection: (step: Step) => string,
): Fitted {
  const reserve_bytes = byteLength(renderCut(steps.length, steps.length))
  const sections: string[] = []
  let used_bytes = byteLength(header)
  let whole = 0
  for (const step of steps) {
    const section = renderSection(step)
    used_bytes += byteLength(section)
    if (used_bytes > MAX_RENDERED_BYTES) return cutAfter(header, sections.slice(0, whole), steps.length)
    sections.push(section)
    if (used_bytes + reserve_bytes <= MAX_RENDERED_BYTES) whole = sections.length
  }
  return { rendered: header + sections.join(''), note: null }
}

function cutAfter(header: string, sections: readonly string[], total: number): Fitted {
  const note = `truncated to ${sections.length} of ${total} steps to stay within ${MAX_RENDERED_BYTES} bytes`
  return { rendered: header + sections.join('') + renderCut(sections.length, total), note }
}

// The text itself says that it is cut: who follows it may never see the fidelity record.
function renderCut(shown: number, total: number): string {
  return `\n**Incomplete:** ${shown} of ${total} steps are shown. Read the others with \`knowtation flow get\`.\n`
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
