import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { claimedRules } from './claimed.ts'
import { measureCoverage, renderCoverage } from './coverage.ts'
import { readRuleIds } from './rule-ids.ts'

/** What the reporter tells the test command, in the file that KNOWTATION_TEST_SUMMARY names. */
export interface RunSummary {
  passed: number
  failed: number
  /** Tests that did not run: in a full run each counts as failed. */
  skipped: string[]
  /** Test files that could not be loaded, and errors outside of any test. */
  errors: number
  covered: boolean
}

/** Prints which rules the run proved. In a full run a claim without proof, or a skipped test, fails it. */
export default class CoverageReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const named = (state: string) => tests.filter((test) => test.result().state === state)
    const [passed, failed] = [named('passed'), named('failed')]
    const coverage = measureCoverage({
      all: readRuleIds(),
      claimed: claimedRules,
      passed: passed.map(nameOf),
      failed: failed.map(nameOf),
    })
    const summary: RunSummary = {
      passed: passed.length,
      failed: failed.length,
      skipped: tests.filter((test) => !passed.includes(test) && !failed.includes(test)).map(fullNameOf),
      errors: errors.length + modules.filter(hasFileError).length,
      covered: coverage.unproven.length + coverage.unknown.length === 0,
    }
    const isFull = process.env.KNOWTATION_FULL_TEST === '1'
    if (isFull || coverage.unknown.length > 0) process.stdout.write(`\n${renderCoverage(coverage)}\n`)
    const second = passed.filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0)
    if (isFull && second.length > 0)
      process.stdout.write(
        `\nPassed on a second try, so to be mended:\n${second.map(firstTryOf).join('\n')}\n`,
      )
    if (isFull && (!summary.covered || summary.skipped.length > 0)) process.exitCode = 1
    if (process.env.KNOWTATION_TEST_SUMMARY)
      writeFileSync(process.env.KNOWTATION_TEST_SUMMARY, JSON.stringify(summary))
  }
}

/** A hook that fails, or a file that cannot be loaded, fails the file without failing any test of it. */
function hasFileError(module: TestModule): boolean {
  const suites = [...module.children.allSuites()]
  return module.errors().length + suites.reduce((sum, suite) => sum + suite.errors().length, 0) > 0
}

/** What went wrong the first time: time that ran out is a fault of the test, anything else may be a race of the product. */
function firstTryOf(test: TestCase): string {
  const [first] = test.result().errors ?? []
  return `${test.module.relativeModuleId}: ${fullNameOf(test)}\n    ${first?.message.split('\n')[0] ?? 'no error was kept'}`
}

function nameOf(test: TestCase): string {
  return test.name
}

function fullNameOf(test: TestCase): string {
  return test.fullName
}
