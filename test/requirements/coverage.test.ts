import { describe, expect, test } from 'vitest'
import { claimedRules } from './claimed.ts'
import { citedRules, measureCoverage, renderCoverage } from './coverage.ts'
import { countedRuleIds, readRuleIds } from './rule-ids.ts'

const ALL = ['FLOW-001', 'FLOW-002', 'FLOW-003', 'GATE-001']

describe('the rules a run proved', () => {
  test('are cited at the start of the names of tests that passed', () => {
    expect(citedRules('[FLOW-001 GATE-001] a behaviour')).toEqual(['FLOW-001', 'GATE-001'])
    expect(citedRules('a behaviour [FLOW-001]')).toEqual([])
    expect(citedRules('[sqlite] a behaviour')).toEqual([])
    expect(citedRules('[FLOW-001]glued')).toEqual([])
  })

  test('are counted by area, beside the claims and all there are', () => {
    const coverage = measureCoverage({
      all: ALL,
      claimed: ['FLOW-001', 'FLOW-002'],
      passed: ['[FLOW-001 GATE-001] a', '[FLOW-001] b', 'c'],
      failed: [],
    })
    expect(coverage.rows).toEqual([
      { area: 'FLOW', proven: 1, claimed: 2, total: 3 },
      { area: 'GATE', proven: 1, claimed: 0, total: 1 },
    ])
    expect(coverage.unproven).toEqual(['FLOW-002'])
    expect(coverage.unknown).toEqual([])
  })

  test('do not hold a rule that another test found broken', () => {
    const facts = { all: ALL, claimed: ['FLOW-001'], passed: ['[FLOW-001] a'], failed: ['[FLOW-001] b'] }
    expect(measureCoverage(facts).unproven).toEqual(['FLOW-001'])
  })

  test('show an id that no rule has, cited or claimed', () => {
    const facts = { all: ALL, claimed: ['FLOW-999'], passed: ['[NONE-001] a'], failed: [] }
    expect(measureCoverage(facts).unknown).toEqual(['FLOW-999', 'NONE-001'])
  })

  test('make a table with what is missing under it', () => {
    const facts = { all: ALL, claimed: ['FLOW-001', 'FLOW-002'], passed: ['[FLOW-001] a', '[NONE-001] b'] }
    expect(renderCoverage(measureCoverage({ ...facts, failed: [] }))).toBe(
      [
        'Rules     proven  claimed  total',
        'FLOW           1        2      3',
        'GATE           0        0      1',
        'all            1        2      4',
        'Claimed but not proven (1): FLOW-002',
        'Unknown ids (1): NONE-001',
      ].join('\n'),
    )
  })
})

test('the committed counts stand for the same ids as the text of the rules', () => {
  expect(countedRuleIds().toSorted()).toEqual(readRuleIds().toSorted())
  expect(readRuleIds('/no/such/file')).toEqual(countedRuleIds())
})

test('every claimed id exists and is claimed once', () => {
  expect(countedRuleIds()).toEqual(expect.arrayContaining([...claimedRules]))
  expect(new Set(claimedRules).size).toBe(claimedRules.length)
})
