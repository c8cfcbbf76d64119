import { spellHidden } from '../../../../platform/basics/hidden-signs.ts'

/** A piece of a page: text that is HTML already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | undefined | false | readonly Html[]

/**
 * Builds HTML: whatever is put in is shown as text, except pieces that were built the same way. Agents choose names
 * that stand there, so what shows nothing or turns a line around is spelled out; only the value of a field, which
 * comes back as it was given, is left as it is.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const render = (text: string, at: number) => text + renderPart(parts[at], text.endsWith(' value="'))
  return new Html(strings.map(render).join(''))
}

function renderPart(part: Part, isValue: boolean): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return escapeHtml(isValue ? String(part) : spellHidden(String(part)))
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] as string)
}
