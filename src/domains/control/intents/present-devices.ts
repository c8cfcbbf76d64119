import type { z } from 'zod'
import { withLeftOut } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import type { OwnerDeviceListOutput } from './devices.ts'

/** The machines with a local collector, a line each. */
export function presentDevices(
  { data, truncated }: z.output<typeof OwnerDeviceListOutput>,
  page: Page,
): string {
  if (data.length === 0)
    return 'No collector is enrolled. `knowtation owner intent create folder` begins one.'
  const rows = data.map((one) => [one.device_id, one.device_name, one.connection_id, one.enrolled_at])
  const table = renderTable(['device', 'name', 'connection', 'since'], rows, page)
  return withLeftOut(table, truncated, page)
}
