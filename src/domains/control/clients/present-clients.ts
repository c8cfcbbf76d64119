import type { z } from 'zod'
import type { Page } from '../../../operations/present/page.ts'
import { cellOf } from '../../../operations/present/table.ts'
import type { ClientSettingsOutput } from './client-settings.ts'

/** What goes into which file, client by client. */
export function presentClients({ clients }: z.output<typeof ClientSettingsOutput>, page: Page): string {
  return clients
    .map(({ client, file, settings, link, next }) =>
      [
        `${page.bold(cellOf(client))}  ${cellOf(file)}`,
        ...(settings === null ? [] : [settings.trimEnd().replace(/^/gm, '  ')]),
        ...(link === null ? [] : [`  Or: ${cellOf(link)}`]),
        `  ${cellOf(next)}`,
      ].join('\n'),
    )
    .join('\n\n')
}
