import { areaOf } from './rule-ids.ts'

/** What a run proved, against what is claimed and what there is. */
export interface Coverage {
  readonly rows: readonly { area: string; proven: number; claimed: number; total: number }[]
  /** Claimed, yet no test that cites it passed. */
  readonly unproven: readonly string[]
  /** Cited by a test or claimed, yet no rule has this id. */
  readonly unknown: readonly string[]
}

const CITATION = /^\[([A-Z]{4}-\d{3}(?: [A-Z]{4}-\d{3})*)\] /

/** The rule ids at the start of a test's own name. */
export function citedRules(testName: string): string[] {
  return CITATION.exec(testName)?.[1]?.split(' ') ?? []
}

/** Holds what passing tests cite against the claims. A rule counts as proven when every test citing it passed. */
export function measureCoverage(facts: {
  all: readonly string[]
  claimed: readonly string[]
  passed: readonly string[]
  failed: readonly string[]
}): Coverage {
  const { all, claimed } = facts
  const failed = new Set(facts.failed.flatMap(citedRules))
  const cited = new Set(facts.passed.flatMap(citedRules))
  const proven = [...cited].filter((id) => !failed.has(id))
  const known = new Set(all)
  const areas = [...new Set(all.map(areaOf))]
  return {
    rows: areas.map((area) => ({
      area,
      proven: countIn(area, proven),
      claimed: countIn(area, claimed),
      total: countIn(area, all),
    })),
    unproven: claimed.filter((id) => !proven.includes(id)),
    unknown: [...new Set([...cited, ...failed, ...claimed])].filter((id) => !known.has(id)).toSorted(),
  }
}

function countIn(area: string, ids: readonly string[]): number {
  return ids.filter((id) => areaOf(id) === area).length
}

/** The coverage as a table, then what is missing. */
export function renderCoverage({ rows, unproven, unknown }: Coverage): string {
  const sum = (key: 'proven' | 'claimed' | 'total') => rows.reduce((so_far, row) => so_far + row[key], 0)
  const total = { area: 'all', proven: sum('proven'), claimed: sum('claimed'), total: sum('total') }
  return [
    'Rules     proven  claimed  total',
    ...[...rows, total].map(renderRow),
    ...renderIds('Claimed but not proven', unproven),
    ...renderIds('Unknown ids', unknown),
  ].join('\n')
}

function renderRow({ area, proven, claimed, total }: Coverage['rows'][number]): string {
  const cells = [[proven, 6] as const, [claimed, 9] as const, [total, 7] as const]
  return `${area.padEnd(10)}${cells.map(([value, width]) => String(value).padStart(width)).join('')}`
}

function renderIds(title: string, ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`${title} (${ids.length}): ${ids.join(' ')}`]
}
