import { printable } from '../../../../platform/basics/printable.ts'
import { type Html, html } from './html.ts'

/**
 * What somebody else wrote, an agent perhaps: shown as text and apart from the page's own words. Signs that show
 * nothing or turn the line around are spelled out, so that what is read is what was written.
 */
export function words(text: string): Html {
  return html`<pre class="words" dir="auto">${printable(text)}</pre>`
}

/** The same within a line. */
export function word(text: string): Html {
  return html`<bdi>${printable(text).replaceAll('\n', ' ')}</bdi>`
}

/** The same, no longer than there is room for. */
export function shortWord(text: string, max_chars: number): Html {
  return html`<bdi>${cutWord(text, max_chars)}</bdi>`
}

/** The same as text alone, for where no element may stand. */
export function cutWord(text: string, max_chars: number): string {
  const signs = [...printable(text).replaceAll('\n', ' ')]
  return signs.length > max_chars ? `${signs.slice(0, max_chars - 1).join('')}…` : signs.join('')
}
