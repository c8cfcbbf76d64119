import { z } from 'zod'
import * as words from './bundle-vocabulary.ts'
import * as limits from './limits.ts'
import { isVersion } from './semver.ts'
import type { Field, Rule } from './value-rules.ts'
import {
  flag,
  inTurn,
  integer,
  listOf,
  nonBlank,
  nullOr,
  oneLine,
  oneOf,
  ownValue,
  recordOf,
  text,
  textThat,
} from './value-rules.ts'

const isoDateTime = z.iso.datetime({ offset: true })

const flowId = textThat((value) => words.FLOW_ID.test(value), 'a flow id')
const stepId = textThat((value) => words.STEP_ID.test(value), 'a step id')
const version = textThat(isVersion, `a version x.y.z of at most ${limits.MAX_VERSION_CHARS} characters`)
const timestamp = textThat(isTimestamp, 'an ISO 8601 date and time')
const mirrorPath = inTurn(
  oneLine(limits.MAX_MIRROR_PATH_CHARS),
  textThat(isVaultPath, 'a path inside the vault'),
)
const portName = textThat((value) => words.PORT_NAME.test(value), 'a name of letters, digits, _ and -')
const portType = oneLine(limits.MAX_TYPE_CHARS)
const source = textThat(
  (value) => words.INPUT_SOURCE.test(value),
  'flow.inputs.<name> or <step_id>.outputs.<name>',
)

const flowInput = recordOf([
  ['name', portName],
  ['type', portType],
  ['required', flag],
])
const stepInput = recordOf([
  ['name', portName],
  ['from', source],
])
const stepOutput = recordOf([
  ['name', portName],
  ['type', portType],
])
const verification = recordOf([
  ['kind', oneOf(words.VERIFICATION_KINDS)],
  ['evidence_required', flag],
  ['description', nonBlank(limits.MAX_CONDITION_CHARS)],
])

/** The fields of a flow in the order they are checked: the contract's order, then the optional ones. */
export const FLOW_FIELDS: readonly Field[] = [
  ['flow_id', flowId],
  ['schema', oneOf([words.FLOW_SCHEMA])],
  ['title', nonBlank(limits.MAX_TITLE_CHARS)],
  ['version', version],
  ['scope', oneOf(words.SCOPES)],
  ['summary', text(limits.MAX_SUMMARY_CHARS)],
  ['steps', listOf(stepId, limits.MAX_STORED_STEPS, 1)],
  ['updated', timestamp],
  ['truncated', flag],
  ['tags', listOf(oneLine(limits.MAX_TAG_CHARS), limits.MAX_TAGS), 'optional'],
  ['inputs', listOf(flowInput, limits.MAX_PORTS), 'optional'],
  ['vault_mirror_path', nullOr(mirrorPath), 'optional'],
]

/** The fields of a step of one flow in the order they are checked. */
export function stepFields(flow_id: string): readonly Field[] {
  return [
    ['schema', oneOf([words.FLOW_STEP_SCHEMA])],
    ['step_id', stepId],
    ['flow_id', textThat((value) => value === flow_id, 'the id of the flow')],
    ['ordinal', inTurn(integer(1, limits.MAX_ORDINAL), endsStepId(flow_id))],
    ['owned_job', nonBlank(limits.MAX_OWNED_JOB_CHARS)],
    ['instruction', nonBlank(limits.MAX_INSTRUCTION_CHARS)],
    ['trigger', nonBlank(limits.MAX_CONDITION_CHARS)],
    ['when_not_to_run', nonBlank(limits.MAX_CONDITION_CHARS)],
    ['boundaries', listOf(nonBlank(limits.MAX_BOUNDARY_CHARS), limits.MAX_BOUNDARIES)],
    ['output_shape', nonBlank(limits.MAX_OUTPUT_SHAPE_CHARS)],
    ['verification', verification],
    ['automatable', oneOf(words.AUTOMATABLE)],
    ['requires', listOf(handle(words.REQUIRES_KINDS), limits.MAX_PORTS), 'optional'],
    ['skill_refs', listOf(handle(words.SKILL_REF_KINDS), limits.MAX_PORTS), 'optional'],
    ['inputs', listOf(stepInput, limits.MAX_PORTS), 'optional'],
    ['outputs', listOf(stepOutput, limits.MAX_PORTS), 'optional'],
  ]
}

function handle(kinds: readonly string[]): Rule {
  return recordOf([
    ['kind', oneOf(kinds)],
    ['id', oneLine(limits.MAX_REF_ID_CHARS)],
  ])
}

function endsStepId(flow_id: string): Rule {
  return (ordinal, { at, owner }) =>
    ownValue(owner, 'step_id') === `${flow_id}#${String(ordinal)}`
      ? undefined
      : `${at} must be the one in step_id`
}

function isTimestamp(value: string): boolean {
  return value.length <= limits.MAX_TIMESTAMP_CHARS && isoDateTime.safeParse(value).success
}

// A mirror path becomes a file path one day: refuse now what could lead out of the vault then.
function isVaultPath(path: string): boolean {
  const isRooted = path.startsWith('/') || path.includes('\\') || /^[A-Za-z]:/.test(path)
  return !isRooted && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}
