import { ChangedWords } from './changed-words'
import { Foreign } from './words'

type Definition = Readonly<Record<string, unknown>>
interface Mark {
  readonly kind: string
  readonly at: string
  readonly text: string
}

const MARKS: Readonly<Record<string, string>> = {
  hidden: 'signs that do not show',
  direction: 'signs that turn the direction',
  control: 'control characters',
  addresses_model: 'speaks to the model',
  claim: 'a hint that nobody has proven',
}

/** What a server says of one tool, part by part, beside what was reviewed of it. The words are the server's. */
export function DefinitionWords(props: {
  reviewed: Definition | null
  found: Definition | null
  marks: readonly Mark[]
}) {
  const { reviewed, found, marks } = props
  const parts = [...new Set([...Object.keys(reviewed ?? {}), ...Object.keys(found ?? {})])]
  return (
    <>
      {marks.length > 0 && (
        <ul className="panel rows">
          {marks.map(({ kind, at, text }) => (
            <li key={`${kind} ${at} ${text}`} className="on-row">
              <b className="tone-wait">{MARKS[kind] ?? kind}</b>
              <span>
                in {at}: <Foreign text={text} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {reviewed === null && (
        <p className="small faint note">
          Nothing of it was reviewed here before: all of it is shown as it is.
        </p>
      )}
      <dl className="changed-fields">
        {parts.map((part) => (
          <div key={part}>
            <dt>{part}</dt>
            <dd>
              <ChangedWords
                before={textOf(reviewed, part) ?? textOf(found, part)}
                after={textOf(found, part)}
              />
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** Without a reviewed form all of it is new, and shown as it is. */
function textOf(definition: Definition | null, part: string): string | null {
  const value = definition?.[part]
  if (value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
