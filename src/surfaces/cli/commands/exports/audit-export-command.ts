import { linesExport } from './lines-export.ts'

/** `audit export`: the whole log as signed lines. */
export const auditExportExtension = linesExport({
  page_limit: 10_000,
  verify_command: 'knowtation audit verify --file',
})
