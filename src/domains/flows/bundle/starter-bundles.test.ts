import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findBundleFault } from './check-bundle.ts'
import type { FlowBundle } from './flow-record.ts'
import { canonicalBundle } from './flow-record.ts'

const STARTER = new URL('../../../../flows/starter/', import.meta.url)

const SCOPES = {
  flow_capture_to_note: 'personal',
  flow_multi_repo_change: 'project',
  flow_overseer_handover: 'project',
  flow_research_brief: 'personal',
  flow_reviewed_writeback: 'personal',
  flow_session_to_flow: 'personal',
} as const

const bundles = readdirSync(STARTER)
  .toSorted()
  .map((file) => ({ file, bundle: readBundle(file) }))

test('the set is six flows with 24 steps in all', () => {
  expect(bundles.map(({ file }) => file)).toEqual(Object.keys(SCOPES).map((id) => `${id}.json`))
  expect(bundles.flatMap(({ bundle }) => bundle.steps)).toHaveLength(24)
  expect(new Set(bundles.map(({ bundle }) => bundle.flow.updated)).size).toBe(6)
})

test.each(bundles)('$file is a valid canonical bundle', ({ file, bundle }) => {
  expect(findBundleFault(bundle)).toBeUndefined()
  expect(JSON.stringify(canonicalBundle(bundle))).toBe(JSON.stringify(bundle))
  const { flow_id, version, scope, vault_mirror_path } = bundle.flow
  expect(`${flow_id}.json`).toBe(file)
  expect(version).toBe('0.1.0')
  expect(scope).toBe(SCOPES[flow_id as keyof typeof SCOPES])
  expect(vault_mirror_path).toBe(`meta/flows/${flow_id.slice('flow_'.length).replaceAll('_', '-')}.md`)
})

test.each(bundles)('$file needs no gate: nothing automatic, no external tool', ({ bundle }) => {
  for (const step of bundle.steps) {
    expect(['human_review', 'artifact_exists']).toContain(step.verification.kind)
    expect(['manual', 'agent_assisted']).toContain(step.automatable)
    expect(step.skill_refs.filter((ref) => ref.kind === 'external_tool')).toEqual([])
  }
})

test.each(bundles)('$file wires each input to a flow input or an earlier output', ({ bundle }) => {
  const known = new Set(bundle.flow.inputs.map(({ name }) => `flow.inputs.${name}`))
  const used = new Set<string>()
  for (const step of bundle.steps) {
    for (const { from } of step.inputs) {
      expect(known).toContain(from)
      used.add(from)
    }
    for (const { name } of step.outputs) known.add(`${step.step_id}.outputs.${name}`)
  }
  for (const { name } of bundle.flow.inputs) expect(used).toContain(`flow.inputs.${name}`)
})

function readBundle(file: string): FlowBundle {
  return JSON.parse(readFileSync(new URL(file, STARTER), 'utf8')) as FlowBundle
}
