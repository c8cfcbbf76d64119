import { type ExportReport, verifyExport } from '../../../../platform/audit/verify-export.ts'

interface Ends {
  previous_hash?: string
  hash?: string
}

/** Checks a file of one or more signed stretches of the log: each by itself, and that each goes on where the last one ended. */
export async function verifyExportLines(
  lines: AsyncIterable<string>,
  trusted_public_key: string | undefined,
): Promise<ExportReport> {
  let sum: ExportReport | undefined
  let end: string | undefined
  for await (const stretch of stretchesOf(lines)) {
    const report = await verifyExport(stretch, sum?.public_key ?? trusted_public_key)
    const first = findEnds(stretch[0]).previous_hash
    const fits = sum === undefined || (report.first_seq === sum.last_seq + 1 && first === end)
    sum = joined(sum, fits || !report.intact ? report : { ...report, intact: false, fault: gapAt(report) })
    if (!sum.intact) return sum
    end = findEnds(stretch.findLast((line) => line !== '')).hash
  }
  return sum ?? verifyExport([], trusted_public_key)
}

/** The lines of each stretch; a page of the export bounds how many that are. */
async function* stretchesOf(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let stretch: string[] = []
  for await (const line of lines) {
    if (line.startsWith('{"kind":"export"') && stretch.length > 0) {
      yield stretch
      stretch = []
    }
    stretch.push(line)
  }
  if (stretch.length > 0) yield stretch
}

function joined(sum: ExportReport | undefined, next: ExportReport): ExportReport {
  if (!sum) return next
  return { ...next, records: sum.records + next.records, first_seq: sum.first_seq, anchored: sum.anchored }
}

function gapAt({ first_seq }: ExportReport): string {
  return `The stretch that begins at record ${first_seq} does not go on where the one before it ended.`
}

function findEnds(line: string | undefined): Ends {
  try {
    return JSON.parse(line ?? '') as Ends
  } catch {
    return {}
  }
}
