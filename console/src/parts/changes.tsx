import type { components } from '../api/schema'
import { ChangedWords } from './changed-words'
import { Foreign, Name } from './words'

interface Group {
  readonly key: string
  readonly title: string
  readonly fields: readonly {
    readonly name: string
    readonly before: string | null
    readonly after: string | null
  }[]
}

/** A flow as it would be, and what differs from what it was. */
export interface Compared {
  readonly flow: components['schemas']['Flow']
  readonly steps: readonly components['schemas']['FlowStep'][]
  readonly diff: components['schemas']['FlowDiff']
}

/** The fields of a step as the page of a flow calls them. */
const NAMES: Readonly<Record<string, string>> = {
  owned_job: 'job',
  trigger: 'when',
  when_not_to_run: 'when not',
  skill_refs: 'uses',
  requires: 'needs',
  output_shape: 'answers',
  'verification.kind': 'check',
  'verification.description': 'verified by',
  'verification.evidence_required': 'with evidence',
  automatable: 'runs',
}
/** Lists of which the hub tells each item as JSON. */
const RECORDS = ['skill_refs', 'requires', 'inputs', 'outputs']

function inWords(field: string, { before, after }: { before: string | null; after: string | null }) {
  const said = (text: string | null) =>
    text === null || !RECORDS.includes(field) ? text : text.split('\n').map(recordWords).join('\n')
  return { before: said(before), after: said(after) }
}

function recordWords(line: string): string {
  try {
    return Object.values(JSON.parse(line) as object).join(': ')
  } catch {
    return line
  }
}

const STEP_PATH = /^steps\[([^\]]+)\]\.(.+)$/

/** What changes, a group for the flow and one for each step, in the order of the steps. */
export function groupsOf({ diff, flow, steps }: Compared): Group[] {
  const titles = new Map(steps.map(({ step_id, ordinal, owned_job }) => [step_id, `${ordinal} ${owned_job}`]))
  const groups = new Map<string, Group['fields'][number][]>()
  for (const { path, before, after } of diff.changes) {
    const [, step, field] = STEP_PATH.exec(path) ?? []
    const key = step ?? ''
    const fields = groups.get(key) ?? []
    const name = field ?? path.replace(/^flow\./, '')
    fields.push({ name: NAMES[name] ?? name.replaceAll(/[_.]/g, ' '), ...inWords(name, { before, after }) })
    groups.set(key, fields)
  }
  const order = ['', ...flow.steps]
  return [...groups]
    .toSorted(([one], [other]) => placeIn(order, one) - placeIn(order, other))
    .map(([key, fields]) => ({
      key,
      title: key === '' ? 'The flow itself' : (titles.get(key) ?? `${key}, which goes`),
      fields,
    }))
}

/** The steps that no group is about. */
export function unchangedIn({ steps }: Pick<Compared, 'steps'>, groups: readonly Group[]): Compared['steps'] {
  return steps.filter(({ step_id }) => !groups.some(({ key }) => key === step_id))
}

function placeIn(order: readonly string[], key: string): number {
  const place = order.indexOf(key)
  return place < 0 ? order.length : place
}

export function Changes(props: {
  groups: readonly Group[]
  /** Which changes somebody has ticked as seen, where they are read in order to decide. */
  reading?: { seen: ReadonlySet<string>; setSeen: (key: string, isSeen: boolean) => void }
  /** Steps in which nothing changes. */
  unchanged?: Compared['steps']
  isCut: boolean
}) {
  const { groups, reading, unchanged, isCut } = props
  const isSeen = (key: string) => reading?.seen.has(key) ?? false
  return (
    <section className="changes">
      <h3>
        What changes{' '}
        <span className="small faint">
          words that <ins>come</ins> are underlined, words that <del>go</del> are struck
        </span>
      </h3>
      {groups.length === 0 && <p className="card soft">Nothing but the version changes.</p>}
      {groups.map(({ key, title, fields }) => (
        <section key={key} tabIndex={-1} className={`panel change ${isSeen(key) ? 'is-seen' : ''}`}>
          <header className="panel-head">
            <b>
              <Name text={title} />
            </b>
            <span className="chip">
              {fields.length} {fields.length === 1 ? 'field' : 'fields'}
            </span>
            {reading && (
              <label className="panel-aside">
                <input
                  type="checkbox"
                  checked={isSeen(key)}
                  onChange={({ target }) => reading.setSeen(key, target.checked)}
                />{' '}
                Seen
                <span className="unseen">
                  : <Name text={title} />
                </span>
              </label>
            )}
          </header>
          {!isSeen(key) && (
            <dl className="changed-fields">
              {fields.map(({ name, before, after }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <ChangedWords before={before} after={after} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </section>
      ))}
      {unchanged !== undefined && unchanged.length > 0 && (
        <details className="panel unchanged">
          <summary className="soft">
            {unchanged.length} {unchanged.length === 1 ? 'step stays' : 'steps stay'} as{' '}
            {unchanged.length === 1 ? 'it is' : 'they are'}
          </summary>
          <ul>
            {unchanged.map(({ step_id, ordinal, owned_job }) => (
              <li key={step_id}>
                {ordinal} <Foreign text={owned_job} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {isCut && <p className="small tone-wait">More changes than fit here. “Whole flow” shows all of it.</p>}
    </section>
  )
}
