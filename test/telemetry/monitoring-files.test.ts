import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { TestHub } from '../harness/test-hub.ts'
import { send, startRestHub } from '../rest/rest-hub.fixture.ts'

const FOLDER = join(import.meta.dirname, '../../deploy/monitoring')
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')

let hub: TestHub | undefined
afterEach(() => hub?.close())

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string }
}

const rules = () =>
  (parse(read('alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules)
const panels = () =>
  (
    JSON.parse(read('dashboard.json')) as {
      panels: { id: number; title: string; targets: { expr: string }[] }[]
    }
  ).panels

/** What an expression names: metrics, with the labels that it asks of them or groups by. */
function namedIn(expr: string) {
  const metrics = expr.match(/\b(?:knowtation|process|nodejs)_\w+/g) ?? []
  const labels = [
    ...[...expr.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, name]) => name as string),
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/)),
  ]
  return { metrics, labels }
}

/** Whether brackets close, in order: more than that a parser of the language would have to say. */
function isBalanced(expr: string): boolean {
  const open: string[] = []
  for (const sign of expr.replaceAll(/"[^"]*"/g, '')) {
    if ('([{'.includes(sign)) open.push(sign)
    const other = { ')': '(', ']': '[', '}': '{' }[sign]
    if (other !== undefined && open.pop() !== other) return false
  }
  return open.length === 0
}

test('rules and dashboard name only numbers and labels that the hub tells', async () => {
  hub = await startRestHub()
  await send(hub.url, { path: '/api/v1/whoami' })
  const { text } = await send(hub.url, { path: '/metrics' })
  const families = new Map<string, Set<string>>()
  for (const [, name = ''] of text.matchAll(/^# TYPE (\w+) /gm)) families.set(name, new Set())
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{([^}]*)\}/gm))
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g))
      families.get(name.replace(/_bucket$/, ''))?.add(label)
  // Of a tool that nobody has called there is no line yet.
  families.set('knowtation_tool_calls_total', new Set(['tool', 'outcome']))
  const known = new Set([...families.values()].flatMap((labels) => [...labels]))
  for (const label of ['job', 'le', 'what', 'state']) known.add(label)
  const expressions = [
    ...rules().map(({ expr }) => expr),
    ...panels().flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ]
  expect(expressions.length).toBeGreaterThan(30)
  for (const expr of expressions) {
    const { metrics, labels } = namedIn(expr)
    expect(isBalanced(expr), expr).toBe(true)
    for (const metric of metrics) expect([...families.keys()], expr).toContain(metric.replace(/_bucket$/, ''))
    for (const label of labels) expect([...known], expr).toContain(label)
  }
})

test('every number of the hub is on the dashboard or among the rules', async () => {
  hub = await startRestHub()
  const { text } = await send(hub.url, { path: '/metrics' })
  const told = [...text.matchAll(/^# TYPE (knowtation_\w+) /gm)].map(([, name]) => name as string)
  const shown = read('dashboard.json') + read('alerts.yaml')
  expect(told.filter((name) => !shown.includes(name))).toEqual(['knowtation_audit_pruned_up_to_record'])
})

test('the files have the form that Prometheus and Grafana take', () => {
  for (const { alert, expr, labels, annotations } of rules()) {
    expect(alert).toMatch(/^Knowtation[A-Z]\w+$/)
    expect(expr).toBeTruthy()
    expect(['info', 'warning', 'critical']).toContain(labels.severity)
    expect(annotations.summary).toMatch(/\.$|knowtation \w+ \w+$/)
  }
  const ids = panels().map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const { scrape_configs, rule_files } = parse(read('prometheus.yaml'))
  expect(scrape_configs.map(({ metrics_path }: { metrics_path: string }) => metrics_path)).toEqual([
    '/metrics',
    '/metrics',
  ])
  expect(rule_files).toEqual(['alerts.yaml'])
})
