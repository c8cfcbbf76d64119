import { hash } from 'node:crypto'
import { expect } from 'vitest'
import { describeParity, type ParityCase } from './parity-case.ts'

const keysOf = (value: object) => Object.keys(value).join(' ')
const MARKER =
  '<!-- GENERATED FROM CANONICAL FLOW flow_two@1.1.0 (generator v1) — DO NOT EDIT; regenerate via knowtation flow project -->'
const WANTS_VALUE = 'a flag that must be there is wrong usage: exit 2, before any call'

/** A projection by default of the two-version flow, as an editor. */
function projecting(
  input: Record<string, unknown>,
  rest: Omit<ParityCase, 'operation' | 'as' | 'input'>,
): ParityCase {
  return { operation: 'flow_project', as: 'editor', input: { flow_id: 'flow_two', ...input }, ...rest }
}

function refused(code: string, status: number) {
  return { code, status, check: (body: object) => expect(keysOf(body)).toBe('error code') }
}

const DOCUMENTS: ParityCase[] = [
  projecting(
    { harness: 'cli_runbook' },
    {
      name: 'the answer, the projection and their parts have exactly their keys',
      rules: ['FLOW-037', 'FLOW-043', 'FLOW-044'],
      status: 200,
      check(body) {
        expect(keysOf(body)).toBe('schema vault_id projection staleness generator')
        expect(keysOf(body.projection)).toBe(
          'schema flow_id flow_version harness rendered generated_from_canonical editable fidelity',
        )
        expect(keysOf(body.staleness)).toBe('stale projection_version latest_version')
        expect(keysOf(body.generator)).toBe('generator_version content_hash generated_at')
        expect(body).toMatchObject({
          schema: 'knowtation.flow_project/v0',
          projection: {
            schema: 'knowtation.flow_projection/v0',
            flow_version: '1.1.0',
            harness: 'cli_runbook',
            generated_from_canonical: true,
            editable: false,
          },
          generator: { generator_version: '1' },
        })
      },
    },
  ),
  ...(['cli_runbook', 'cursor_rule'] as const).flatMap((harness): ParityCase[] => [
    projecting(
      { harness },
      {
        name: `${harness} carries its hash, and its marker before any step`,
        rules: ['FLOW-041', 'FLOW-045', 'FLOW-048'],
        status: 200,
        check({ projection: { rendered }, generator }) {
          expect(generator.content_hash).toBe(`sha256:${hash('sha256', rendered)}`)
          expect(rendered.split(MARKER)).toHaveLength(2)
          expect(rendered.indexOf(MARKER)).toBeLessThan(rendered.indexOf('Job 1'))
        },
      },
    ),
    projecting(
      { harness, flow_id: 'flow_hostile' },
      {
        name: `${harness} lets no text of a flow become markup`,
        rules: ['FLOW-050'],
        status: 200,
        check({ projection: { rendered } }) {
          expect(rendered).not.toMatch(/<script|<\/script|flow_evil@9\.9\.9[^\n]*DO NOT EDIT/)
          expect(rendered.match(/<!--/g)).toHaveLength(1)
          expect(rendered.match(/-->/g)).toHaveLength(1)
        },
      },
    ),
    projecting(
      { harness, flow_id: 'flow_huge' },
      {
        name: `${harness} is cut between steps before 65536 bytes, and says so`,
        rules: ['FLOW-024'],
        status: 200,
        check({ projection: { rendered, fidelity } }) {
          expect(Buffer.byteLength(rendered)).toBeLessThanOrEqual(65_536)
          expect(fidelity.notes).not.toBeNull()
          const begun = rendered.match(/Job \d+/g) as string[]
          expect(begun.length).toBeGreaterThan(5)
          expect(begun.length).toBeLessThan(30)
          expect(rendered.match(/ö{2000} end/g)).toHaveLength(begun.length)
        },
      },
    ),
  ]),
  projecting(
    { harness: 'cursor_rule' },
    {
      name: 'cursor_rule begins with its front matter and names the fields it drops',
      rules: ['FLOW-049'],
      status: 200,
      check({ projection: { rendered, fidelity } }) {
        expect(rendered).toMatch(/^---\ndescription: .*\nglobs:.*\nalwaysApply: false\n---\n/)
        expect(fidelity.dropped_fields).toEqual(['when_not_to_run', 'requires', 'inputs', 'outputs'])
        expect(rendered).not.toContain('Nothing is left to do.')
      },
    },
  ),
  projecting(
    { harness: 'cursor_rule', flow_id: 'flow_bare' },
    {
      name: 'cursor_rule does not name as dropped what a flow does not have',
      rules: ['FLOW-049'],
      status: 200,
      check: ({ projection }) => expect(projection.fidelity.dropped_fields).toEqual(['when_not_to_run']),
    },
  ),
  projecting(
    { harness: 'cli_runbook' },
    {
      name: 'cli_runbook drops nothing',
      rules: ['FLOW-049'],
      status: 200,
      check({ projection: { rendered, fidelity } }) {
        expect(fidelity).toEqual({ dropped_fields: [], notes: null })
        for (const part of ['Nothing is left to do.', 'git', 'flow.inputs.topic', 'notes'])
          expect(rendered).toContain(part)
      },
    },
  ),
]

const STALENESS: ParityCase[] = [
  ['editor', { version: '1.0.0' }, 'flow_two', [true, '1.0.0', '1.1.0']],
  ['editor', {}, 'flow_two', [false, '1.1.0', '1.1.0']],
  ['viewer', {}, 'flow_grown', [false, '1.0.0', '1.0.0']],
  ['viewer', { version: '1.0.0' }, 'flow_grown', [false, '1.0.0', '1.0.0']],
  ['admin', { version: '1.0.0' }, 'flow_grown', [true, '1.0.0', '2.0.0']],
  ['editor', { version: '1.9.0' }, 'flow_ten', [true, '1.9.0', '1.10.0']],
].map(([as, input, flow_id, expected]) => ({
  ...projecting(
    { flow_id, harness: 'cli_runbook', ...(input as object) },
    {
      name: `${flow_id} ${JSON.stringify(input)} is ${(expected as unknown[])[0] ? '' : 'not '}stale to ${as}`,
      rules: ['FLOW-046'],
      status: 200,
      check: ({ staleness }) => expect(Object.values(staleness)).toEqual(expected),
    },
  ),
  as: as as ParityCase['as'],
}))

const REFUSALS: ParityCase[] = [
  projecting(
    {},
    {
      name: 'no harness',
      rules: ['FLOW-031', 'FLOW-040'],
      ...refused('BAD_REQUEST', 400),
      notOn: { cli: WANTS_VALUE },
    },
  ),
  projecting(
    { harness: 'vim' },
    { name: 'an unknown harness', rules: ['FLOW-006', 'FLOW-040'], ...refused('BAD_REQUEST', 400) },
  ),
  projecting(
    { harness: 'CLI_RUNBOOK' },
    { name: 'a harness in capitals', rules: ['FLOW-006'], ...refused('BAD_REQUEST', 400) },
  ),
  ...['cursor_skill', 'mcp_prompt'].map((harness) =>
    projecting(
      { harness },
      {
        name: `the reserved harness ${harness}`,
        rules: ['FLOW-006', 'FLOW-041'],
        ...refused('FLOW_HARNESS_UNSUPPORTED', 400),
      },
    ),
  ),
  projecting(
    { harness: 'cli_runbook', flow_id: 'flow_nope' },
    { name: 'an unknown flow', rules: ['FLOW-031', 'FLOW-032'], ...refused('unknown_flow', 404) },
  ),
  {
    ...projecting(
      { harness: 'cli_runbook', flow_id: 'flow_company' },
      { name: 'an invisible flow', rules: ['FLOW-032'], ...refused('unknown_flow', 404) },
    ),
    as: 'viewer',
  },
]

/** Each row has two faults; the one that is checked first is the one that is told. */
const ORDER: ParityCase[] = (
  [
    ['flow id form before harness enum', { flow_id: 'Flow-1', harness: 'vim' }, 'BAD_REQUEST', /^flow_id /],
    ['harness enum before version form', { harness: 'vim', version: 'x' }, 'BAD_REQUEST', /^harness /],
    [
      'harness active before version form',
      { harness: 'cursor_skill', version: 'x' },
      'FLOW_HARNESS_UNSUPPORTED',
      /./,
    ],
    [
      'harness active before the form of an endless version',
      { harness: 'cursor_skill', version: 'x'.repeat(100) },
      'FLOW_HARNESS_UNSUPPORTED',
      /./,
    ],
    [
      'harness active before lookup',
      { flow_id: 'flow_nope', harness: 'mcp_prompt' },
      'FLOW_HARNESS_UNSUPPORTED',
      /./,
    ],
    [
      'version form before lookup',
      { flow_id: 'flow_nope', harness: 'cli_runbook', version: '1' },
      'BAD_REQUEST',
      /^version /,
    ],
  ] as const
).map(([name, input, code, error]) =>
  projecting(input, {
    name,
    rules: ['FLOW-042'],
    code,
    status: 400,
    check: (body) => expect(body.error).toMatch(error),
  }),
)

describeParity('flow_project', [...DOCUMENTS, ...STALENESS, ...REFUSALS, ...ORDER])
