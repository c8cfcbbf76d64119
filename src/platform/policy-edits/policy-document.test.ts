import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { openPolicyDocument, type PolicyDocument, PolicyUneditable, TOOLS } from './policy-document.ts'

const POLICY = `# my policy

external_agent:
  enabled:   false      # shut for now


  providers:
    # the notes server
    notes: { kind: mcp, command: [node,   notes.js],
             env: [NOTES_KEY] }   # long
  allowed_tools:
    # section one
    - id: a          # inline a
      description: "a text that goes on and on beyond eighty columns so that a line that was folded would be seen"
    # about b
    - id: b
    # section two
    - c
    # end remark
flow_authoring: {writes_enabled: true}
# the end
`

function changed(text: string, edit: (document: PolicyDocument) => void): string {
  const document = openPolicyDocument(text)
  edit(document)
  return document.text()
}

const open = (document: PolicyDocument) => document.set(['external_agent', 'enabled'], true)
const writtenLines = (text: string) => text.split('\n').filter((line) => line !== '')
const removed = (id: string) => (document: PolicyDocument) => document.remove(document.findTool(id) ?? [])

test('a policy that nothing is changed in stays as it is, to the byte', () => {
  for (const text of [
    POLICY,
    '',
    '# only a remark\n',
    'external_agent:\n',
    '{ }',
    POLICY.replaceAll('\n', '\r\n'),
  ])
    expect(changed(text, () => {})).toBe(text)
})

test('one setting changes its own line alone, and keeps the remark behind it', () => {
  const text = changed(POLICY, (document) => document.set(['external_agent', 'enabled'], true))
  expect(text).toBe(POLICY.replace('enabled:   false      #', 'enabled: true #'))
  const windows = changed(POLICY.replaceAll('\n', '\r\n'), (document) =>
    document.set(['external_agent', 'enabled'], true),
  )
  expect(windows).toBe(text.replaceAll('\n', '\r\n'))
})

test('a tool goes to the end of the list, and takes nothing but itself away', () => {
  const added = changed(POLICY, (document) =>
    document.append(TOOLS, { id: 'new', provider: { name: 'notes' } }),
  )
  const entry = '    - id: new\n      provider:\n        name: notes\n'
  expect(added).toBe(POLICY.replace('    # end remark', `${entry}    # end remark`))
  expect(changed(POLICY, removed('b'))).toBe(POLICY.replace('    - id: b\n', ''))
  expect(changed(added, removed('new'))).toBe(POLICY)
})

test('what is missing above a setting is made; a file of remarks alone keeps them', () => {
  expect(changed('', open)).toBe('external_agent:\n  enabled: true\n')
  expect(changed('# only a remark\n', open)).toBe('# only a remark\n\nexternal_agent:\n  enabled: true\n')
  expect(parse(changed('external_agent:\n', open))).toEqual({ external_agent: { enabled: true } })
  const json = '{"external_agent":{"allowed_tools":[{"id":"y"}]}}'
  expect(JSON.parse(changed(json, (document) => document.append(TOOLS, { id: 'x' })))).toEqual({
    external_agent: { allowed_tools: [{ id: 'y' }, { id: 'x' }] },
  })
})

test('what cannot be changed alone is said, and nothing is', () => {
  const shared = 'a: &a { enabled: true }\nexternal_agent: *a\n'
  expect(() => changed(shared, open)).toThrow(PolicyUneditable)
  for (const text of ['a: [', 'a: 1\na: 2\n', '--- 1\n--- 2\n', '\t- a']) {
    expect(() => openPolicyDocument(text)).toThrow(PolicyUneditable)
  }
  expect(() => changed('[1, 2]', open)).toThrow()
  expect(() => changed('external_agent: 7', open)).toThrow(PolicyUneditable)
})

/** A line of a policy, as a careless owner writes it. */
const blank = fc.constantFrom('', '', '\n', '    # a remark of its own\n', '\n\n')
const tool = fc.record({
  before: blank,
  style: fc.constantFrom('bare', 'flow', 'block', 'wide'),
  note: fc.constantFrom('', '   # behind it'),
})
type Entry = typeof tool extends fc.Arbitrary<infer One> ? One : never

function written({ before, style, note }: Entry, at: number): string {
  const id = `tool_${at}`
  const styles: Record<string, string> = {
    bare: `    - ${id}${note}\n`,
    flow: `    - {id: ${id},  approval: never }${note}\n`,
    block: `    - id: "${id}"${note}\n      description: 'says # nothing'\n`,
    wide: `    -   id:   ${id}${note}\n        calls_per_minute:    7\n`,
  }
  return before + (styles[style] as string)
}

type Move = { kind: 'gate'; open: boolean } | { kind: 'add' } | { kind: 'remove' | 'budget'; at: number }
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant('gate' as const), open: fc.boolean() }),
  fc.record({ kind: fc.constant('add' as const) }),
  fc.record({ kind: fc.constantFrom('remove' as const, 'budget' as const), at: fc.nat(20) }),
)

interface Plain {
  external_agent: { enabled: boolean; allowed_tools: (string | Record<string, unknown>)[] }
}

/** The same change in plain data. */
function model(plain: Plain, step: Move, fresh: string): void {
  const { external_agent: agent } = plain
  if (step.kind === 'gate') agent.enabled = step.open
  else if (step.kind === 'add') agent.allowed_tools.push({ id: fresh })
  else if (step.at < agent.allowed_tools.length) {
    const held = agent.allowed_tools[step.at]
    if (step.kind === 'remove') agent.allowed_tools.splice(step.at, 1)
    else if (typeof held === 'object') held.calls_per_minute = 9
  }
}

function apply(text: string, step: Move, fresh: string): string {
  return changed(text, (document) => {
    const tools = document.get(TOOLS) as unknown[]
    if (step.kind === 'gate') document.set(['external_agent', 'enabled'], step.open)
    else if (step.kind === 'add') document.append(TOOLS, { id: fresh })
    else if (step.at < tools.length) {
      if (step.kind === 'remove') document.remove([...TOOLS, step.at])
      else if (typeof tools[step.at] === 'object') document.set([...TOOLS, step.at, 'calls_per_minute'], 9)
    }
  })
}

const remarksOf = (text: string) => text.match(/# (my own|a remark of its own|between)[^\n]*/g) ?? []

test('after any changes it says what was meant, and no remark above or between entries is gone or moved', () => {
  fc.assert(
    fc.property(fc.array(tool, { maxLength: 8 }), fc.array(move, { maxLength: 8 }), (entries, steps) => {
      const list =
        entries.length === 0 ? '  allowed_tools: []\n' : `  allowed_tools:\n${entries.map(written).join('')}`
      const start = `# my own\nexternal_agent:\n  enabled: false # now\n${list}# between\nflow_runs: {}\n`
      const plain = parse(start) as Plain
      let text = start
      for (const [at, step] of steps.entries()) {
        const remarks = remarksOf(text)
        text = apply(text, step, `fresh_${at}`)
        model(plain, step, `fresh_${at}`)
        expect(parse(text)).toEqual(plain)
        expect(remarksOf(text)).toEqual(remarks)
      }
    }),
    { numRuns: 300 },
  )
})

test('a change at one place leaves every line of the others as it was written', () => {
  fc.assert(
    fc.property(fc.array(tool, { minLength: 1, maxLength: 8 }), fc.nat(7), (entries, chosen) => {
      const at = chosen % entries.length
      const parts = entries.map(written)
      const start = `external_agent:\n  enabled:  false\n  allowed_tools:\n${parts.join('')}`
      const entry = (parts[at] as string).slice((entries[at] as Entry).before.length)
      const rest = start.replace(entry, '')
      const text = changed(start, (document) => document.remove([...TOOLS, at]))
      // The last one leaves an empty list behind, which has to be written out.
      if (entries.length > 1) expect(writtenLines(text)).toEqual(writtenLines(rest))
    }),
    { numRuns: 300 },
  )
})
