import { ChangedWords } from '../../parts/changed-words'
import { Name } from '../../parts/words'
import type { Review } from './review'

interface Group {
  readonly key: string
  readonly title: string
  readonly fields: readonly {
    readonly name: string
    readonly before: string | null
    readonly after: string | null
  }[]
}

const STEP_PATH = /^steps\[([^\]]+)\]\.(.+)$/

/** What changes, a group for the flow and one for each step, in the order of the steps. */
export function groupsOf({ diff, flow, steps }: Review): Group[] {
  const titles = new Map(steps.map(({ step_id, ordinal, owned_job }) => [step_id, `${ordinal} ${owned_job}`]))
  const groups = new Map<string, Group['fields'][number][]>()
  for (const { path, before, after } of diff.changes) {
    const [, step, field] = STEP_PATH.exec(path) ?? []
    const key = step ?? ''
    const fields = groups.get(key) ?? []
    fields.push({ name: (field ?? path.replace(/^flow\./, '')).replaceAll(/[_.]/g, ' '), before, after })
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

function placeIn(order: readonly string[], key: string): number {
  const place = order.indexOf(key)
  return place < 0 ? order.length : place
}

export function Changes(props: {
  groups: readonly Group[]
  seen: ReadonlySet<string>
  setSeen: (key: string, isSeen: boolean) => void
  isCut: boolean
}) {
  const { groups, seen, setSeen, isCut } = props
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
        <section key={key} className={`panel change ${seen.has(key) ? 'is-seen' : ''}`}>
          <header className="panel-head">
            <b>
              <Name text={title} />
            </b>
            <span className="chip">
              {fields.length} {fields.length === 1 ? 'field' : 'fields'}
            </span>
            <label className="panel-aside">
              <input
                type="checkbox"
                checked={seen.has(key)}
                onChange={({ target }) => setSeen(key, target.checked)}
              />{' '}
              Seen
            </label>
          </header>
          {!seen.has(key) && (
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
      {isCut && <p className="small tone-wait">More changes than fit here. “Whole flow” shows all of it.</p>}
    </section>
  )
}
