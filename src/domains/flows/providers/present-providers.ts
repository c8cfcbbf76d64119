import type { z } from 'zod'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import { counted, printableLine } from '../../../platform/basics/printable.ts'
import { changeLine, presentFaults } from '../policy/present-policy.ts'
import type { ProviderChangeOutput, ProvidersChangeOutput } from './provider-changes.ts'
import type { ProviderListOutput, ProviderTestOutput } from './provider-reads.ts'

/** The providers, a line each. */
export function presentProviders(
  { path, errors, data }: z.output<typeof ProviderListOutput>,
  page: Page,
): string {
  if (errors.length > 0) return presentFaults(path, errors, page)
  if (data.length === 0) return printableLine(`No provider is named in ${path}.`)
  const rows = data.map(({ name, kind, address, credentials, tools }) => [
    name,
    kind,
    address,
    credentials.map(({ at, from }) => `${at} from ${from}`),
    tools,
  ])
  return renderTable(['provider', 'kind', 'address', 'credentials', 'tools'], rows, page)
}

/** Whether a provider answers. */
export function presentProviderTest(
  { name, answers, says, status, tools, path }: z.output<typeof ProviderTestOutput>,
  page: Page,
): string {
  const verdict = answers ? page.green(`${name} answers.`) : page.red(`${name}: ${says}`)
  const more = status === null ? '' : ` Status ${status}.`
  const listed =
    tools === null ? '' : `\nIt lists ${counted(tools.length, 'tool')}: ${printableLine(tools.join(', '))}`
  return `${verdict}${more}${listed}\n${page.dim(printableLine(path))}`
}

/** What became of the providers. */
export function presentProviderChange(change: z.output<typeof ProviderChangeOutput>, page: Page): string {
  return `${change.name}: the providers were changed.\n${changeLine(change, page)}`
}

/** What became of several at once. */
export function presentProvidersChange(change: z.output<typeof ProvidersChangeOutput>, page: Page): string {
  return `${change.names.join(', ')}: the providers were changed.\n${changeLine(change, page)}`
}
