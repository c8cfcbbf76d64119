import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileBundle } from './arbitrary-bundle.fixture.ts'
import { findBundleFault } from './check-bundle.ts'
import { sampleBundle } from './sample-bundle.fixture.ts'

type Loose = Record<string, unknown>

/** A valid bundle of two steps after one change to its flow or its first step. */
function changed(change: (flow: Loose, step: Loose, bundle: Loose) => void): unknown {
  const bundle = JSON.parse(JSON.stringify(sampleBundle(2))) as { flow: Loose; steps: Loose[] }
  change(bundle.flow, bundle.steps[0] ?? {}, bundle)
  return bundle
}

const setFlow = (name: string, value: unknown) => changed((flow) => void (flow[name] = value))
const setStep = (name: string, value: unknown) => changed((_, step) => void (step[name] = value))
const setBundle = (name: string, value: unknown) => changed((_, __, bundle) => void (bundle[name] = value))
const withVerification = (changes: Loose) =>
  setStep('verification', { kind: 'human_review', evidence_required: true, description: 'Look.', ...changes })

test('finds no fault in valid bundles', () => {
  expect(findBundleFault(sampleBundle(3))).toBeUndefined()
  expect(findBundleFault(sampleBundle(101))).toBeUndefined()
  fc.assert(
    fc.property(hostileBundle, (bundle) => {
      expect(findBundleFault(bundle)).toBeUndefined()
    }),
    { numRuns: 50 },
  )
})

test('optional fields may be left out', () => {
  const bare = changed((flow, step) => {
    for (const name of ['tags', 'inputs', 'vault_mirror_path']) delete flow[name]
    for (const name of ['requires', 'skill_refs', 'inputs', 'outputs']) delete step[name]
  })
  expect(findBundleFault(bare)).toBeUndefined()
  expect(findBundleFault(setFlow('summary', ''))).toBeUndefined()
  expect(findBundleFault(withVerification({ kind: 'test_pass' }))).toBeUndefined()
})

const NON_BLANK = 'must be a non-blank string'
const REFS = 'must be one of mcp_prompt, skill_pack, cli, external_tool'

test.each<[string, unknown]>([
  ['bundle must be an object', null],
  ['bundle must be an object', []],
  ['bundle must not hold unknown fields', setBundle('extra', 1)],
  ['flow must be an object', setBundle('flow', 'x')],
  ['steps must be a non-empty array', setBundle('steps', [])],
  ['steps must be an array', setBundle('steps', { length: 1 })],
  ['flow.flow_id must be a flow id', setFlow('flow_id', 'Flow-1')],
  ['flow.flow_id must be a flow id', setFlow('flow_id', `flow_${'a'.repeat(65)}`)],
  ['flow.schema must be one of knowtation.flow/v0', setFlow('schema', 'knowtation.flow/v1')],
  [`flow.title ${NON_BLANK}`, setFlow('title', ' \n')],
  ['flow.title must be at most 200 characters', setFlow('title', 'x'.repeat(201))],
  ['flow.title must be well-formed Unicode', setFlow('title', 'x\ud800')],
  ['flow.title must not hold control characters', setFlow('title', 'x\u001b[2J')],
  ['flow.version must be a version x.y.z of at most 64 characters', setFlow('version', '1.0.0-rc1')],
  ['flow.scope must be one of personal, project, org', setFlow('scope', 'team')],
  ['flow.summary must be a string', setFlow('summary', undefined)],
  ['flow.steps must be a non-empty array', setFlow('steps', [])],
  ['flow.steps[1] must be a step id', setFlow('steps', ['flow_weekly_review#1', 'flow_weekly_review#02'])],
  ['flow.updated must be an ISO 8601 date and time', setFlow('updated', '2026-02-30T00:00:00Z')],
  ['flow.updated must be an ISO 8601 date and time', setFlow('updated', 'yesterday')],
  ['flow.truncated must be a boolean', setFlow('truncated', 'no')],
  ['flow.tags must hold at most 32 items', setFlow('tags', Array(33).fill('a'))],
  ['flow.tags[0] must be on one line', setFlow('tags', ['a\nb'])],
  ['flow.inputs[0].required must be a boolean', setFlow('inputs', [{ name: 'a', type: 'text' }])],
  ['flow.vault_mirror_path must be a path inside the vault', setFlow('vault_mirror_path', 'a/../../b.md')],
  ['flow.vault_mirror_path must be a path inside the vault', setFlow('vault_mirror_path', '/etc/passwd')],
  ['flow.vault_mirror_path must be a path inside the vault', setFlow('vault_mirror_path', 'C:/x')],
  ['flow must not hold unknown fields', setFlow('owner', 'me')],
  ['steps[0] must be an object', setBundle('steps', [1])],
  ['steps[0].schema must be one of knowtation.flow_step/v0', setStep('schema', 'x')],
  ['steps[0].step_id must be a step id', setStep('step_id', 'flow_weekly_review#0')],
  ['steps[0].flow_id must be the id of the flow', setStep('flow_id', 'flow_other')],
  ['steps[0].ordinal must be an integer from 1 to 1000000', setStep('ordinal', 0)],
  ['steps[0].ordinal must be an integer from 1 to 1000000', setStep('ordinal', 1.5)],
  ['steps[0].ordinal must be the one in step_id', setStep('ordinal', 2)],
  [`steps[0].owned_job ${NON_BLANK}`, setStep('owned_job', 1)],
  [`steps[0].instruction ${NON_BLANK}`, setStep('instruction', '')],
  ['steps[0].instruction must be at most 20000 characters', setStep('instruction', 'x'.repeat(20_001))],
  [`steps[0].trigger ${NON_BLANK}`, setStep('trigger', '  ')],
  [`steps[0].when_not_to_run ${NON_BLANK}`, setStep('when_not_to_run', undefined)],
  ['steps[0].boundaries must be an array', setStep('boundaries', 'none')],
  [`steps[0].boundaries[1] ${NON_BLANK}`, setStep('boundaries', ['a', ' '])],
  [`steps[0].output_shape ${NON_BLANK}`, setStep('output_shape', '')],
  ['steps[0].verification must be an object', setStep('verification', undefined)],
  [
    'steps[0].verification.kind must be one of human_review, artifact_exists, value_match, test_pass, agent_check',
    withVerification({ kind: 'vibes' }),
  ],
  [
    'steps[0].verification.evidence_required must be a boolean',
    withVerification({ evidence_required: 'yes' }),
  ],
  [`steps[0].verification.description ${NON_BLANK}`, withVerification({ description: ' ' })],
  ['steps[0].verification must not hold unknown fields', withVerification({ by: 'me' })],
  ['steps[0].automatable must be one of manual, agent_assisted, automatable', setStep('automatable', 'auto')],
  [
    'steps[0].requires[0].kind must be one of vault_scope, tool, file, artifact',
    setStep('requires', [{ kind: 'url', id: 'x' }]),
  ],
  [`steps[0].skill_refs[0].kind ${REFS}`, setStep('skill_refs', [{ kind: 'plugin', id: 'x' }])],
  [`steps[0].skill_refs[0].id ${NON_BLANK}`, setStep('skill_refs', [{ kind: 'cli', id: '' }])],
  [
    'steps[0].inputs[0].from must be flow.inputs.<name> or <step_id>.outputs.<name>',
    setStep('inputs', [{ name: 'a', from: 'env.HOME' }]),
  ],
  [
    'steps[0].outputs[0].name must be a name of letters, digits, _ and -',
    setStep('outputs', [{ name: '__proto__.x', type: 'text' }]),
  ],
  ['steps[0] must not hold unknown fields', setStep('flow_version', '1.2.0')],
  ['steps[1].step_id must be unique', setBundle('steps', [...sampleBundle().steps, ...sampleBundle().steps])],
  ['flow.steps must name only steps of the bundle', setFlow('steps', ['flow_weekly_review#3'])],
  ['flow.steps must list every step id by ascending ordinal', setFlow('steps', ['flow_weekly_review#1'])],
  [
    'flow.steps must list every step id by ascending ordinal',
    setFlow('steps', ['flow_weekly_review#2', 'flow_weekly_review#1']),
  ],
])('%s', (fault, value) => {
  expect(findBundleFault(value)).toBe(fault)
})

test('names the first fault in the order of the contract', () => {
  const flowOrder =
    'flow_id schema title version scope summary steps updated truncated tags inputs vault_mirror_path'.split(
      ' ',
    )
  const stepOrder = (
    'schema step_id flow_id ordinal owned_job instruction trigger when_not_to_run boundaries output_shape ' +
    'verification automatable requires skill_refs inputs outputs'
  ).split(' ')
  const everythingWrong = changed((flow, step) => {
    for (const name of flowOrder) flow[name] = 0
    for (const name of stepOrder) step[name] = 0
  }) as { flow: Loose; steps: Loose[] }
  const right = sampleBundle(2)
  for (const name of flowOrder) {
    expect(findBundleFault(everythingWrong)).toMatch(new RegExp(`^flow\\.${name} `))
    everythingWrong.flow[name] = (right.flow as unknown as Loose)[name]
  }
  for (const name of stepOrder) {
    expect(findBundleFault(everythingWrong)).toMatch(new RegExp(`^steps\\[0\\]\\.${name} `))
    Object.assign(everythingWrong.steps[0] ?? {}, { [name]: (right.steps[0] as unknown as Loose)[name] })
  }
  expect(findBundleFault(everythingWrong)).toBeUndefined()
})

test('a __proto__ key from JSON is an unknown field, and inherited fields do not count', () => {
  const text = JSON.stringify(sampleBundle()).replace(
    '"truncated":false',
    '"truncated":false,"__proto__":{"x":1}',
  )
  expect(findBundleFault(JSON.parse(text))).toBe('flow must not hold unknown fields')
  expect(findBundleFault(Object.create(sampleBundle()))).toBe('bundle must be an object')
})

test('computed properties are refused without being run', () => {
  let runs = 0
  const bundle = sampleBundle()
  const run = () => {
    runs += 1
    return []
  }
  Object.defineProperty(bundle.flow, 'tags', { get: run, enumerable: true })
  expect(findBundleFault(bundle)).toBe('flow must not hold unknown fields')
  expect(runs).toBe(0)
})

test('never throws: cycles, traps, giant lists, symbols', () => {
  const cycle: Loose = { steps: [1] }
  cycle['flow'] = cycle
  const trapped = new Proxy({}, { getPrototypeOf: trap, ownKeys: trap, getOwnPropertyDescriptor: trap })
  const giant: unknown[] = []
  giant.length = 2 ** 32 - 1
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  expect(findBundleFault(cycle)).toBe('flow.flow_id must be a flow id')
  expect(findBundleFault(trapped)).toBe('bundle must be plain data')
  expect(findBundleFault({ flow: revoked.proxy, steps: [1] })).toBe('bundle must be plain data')
  expect(findBundleFault(setBundle('steps', giant))).toBe('steps must hold at most 1000 items')
  expect(findBundleFault({ ...sampleBundle(), [Symbol('x')]: 1 })).toBe('bundle must not hold unknown fields')
})

test('never throws on any value, put anywhere into a bundle', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withNullPrototype: true,
    withSparseArray: true,
  })
  const place = fc.constantFrom(
    'flow',
    'steps',
    'flow.title',
    'flow.steps',
    'flow.tags',
    'step.verification',
    'step.inputs',
  )
  fc.assert(
    fc.property(anything, place, (value, at) => {
      const [owner, name = ''] = at.split('.')
      if (name === '') return isFaultText(findBundleFault(setBundle(at, value)))
      return isFaultText(findBundleFault(owner === 'flow' ? setFlow(name, value) : setStep(name, value)))
    }),
  )
})

test('the words never hold any of the bundle', () => {
  const secret = 'zq9secret'
  const names = ['flow_id', 'schema', 'title', 'version', 'scope', 'updated', 'truncated', secret]
  for (const name of names) expect(findBundleFault(setFlow(name, [secret]))).not.toContain(secret)
  for (const name of ['schema', 'step_id', 'ordinal', 'trigger', 'automatable', 'requires', secret])
    expect(findBundleFault(setStep(name, [{ kind: secret, id: secret, [secret]: secret }]))).not.toContain(
      secret,
    )
})

function trap(): never {
  throw new Error('trap')
}

function isFaultText(fault: string | undefined): boolean {
  return fault === undefined || fault.length > 0
}
