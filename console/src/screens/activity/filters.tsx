import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { exactTime } from '../../parts/time'
import type { ActivitySearch } from '../../router'

const TYPED = [
  ['called_by', 'Agent'],
  ['operation', 'Operation'],
  ['tool', 'Tool'],
  ['grant', 'Grant'],
  ['flow', 'Flow'],
] as const

const MOMENTS = [
  ['since', 'From (UTC)'],
  ['until', 'Until (UTC)'],
] as const

function momentOf(typed: string): string {
  const moment = Date.parse(`${typed}Z`)
  return Number.isNaN(moment) ? '' : new Date(moment).toISOString()
}

/** What the list is narrowed by. It stands in the address, so a link shows the same. */
export function Filters({ search }: { search: ActivitySearch }) {
  const navigate = useNavigate({ from: '/activity' })
  const put = (more: Partial<ActivitySearch>) =>
    void navigate({
      search: ({ record: _record, why: _why, ...kept }) => {
        const next = { ...kept, ...more } as Record<string, unknown>
        for (const [name, value] of Object.entries(next))
          if (value === '' || value === undefined) delete next[name]
        return next as ActivitySearch
      },
    })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = TYPED.map(([name]) => [name, String(form.get(name) ?? '').trim()])
    const moments = MOMENTS.map(([name]) => [name, momentOf(String(form.get(name) ?? ''))])
    put(Object.fromEntries([...given, ...moments]))
  }
  const chosen = TYPED.filter(([name]) => search[name] !== undefined)
  return (
    <div className="filters">
      <label>
        Outcome
        <select
          value={search.outcome ?? ''}
          onChange={(event) =>
            put({
              outcome: (event.target.value || undefined) as ActivitySearch['outcome'],
            } as Partial<ActivitySearch>)
          }
        >
          <option value="">any</option>
          <option value="allowed">allowed</option>
          <option value="denied">refused</option>
          <option value="failed">failed</option>
        </select>
      </label>
      {chosen.map(([name, label]) => (
        <button key={name} type="button" className="chip drop" onClick={() => put({ [name]: undefined })}>
          {label} <b>{search[name]}</b> <span aria-hidden="true">×</span>
          <span className="unseen">take this filter away</span>
        </button>
      ))}
      {(search.since !== undefined || search.until !== undefined) && (
        <button
          type="button"
          className="chip drop"
          onClick={() => put({ since: undefined, until: undefined } as unknown as Partial<ActivitySearch>)}
        >
          {search.since !== undefined && (
            <>
              from <b>{exactTime(search.since)}</b>
            </>
          )}{' '}
          {search.until !== undefined && (
            <>
              until <b>{exactTime(search.until)}</b>
            </>
          )}{' '}
          <span aria-hidden="true">×</span>
          <span className="unseen">take this filter away</span>
        </button>
      )}
      <details className="more-filters">
        <summary>Narrow…</summary>
        <form onSubmit={submit} key={JSON.stringify(search)}>
          {TYPED.map(([name, label]) => (
            <label key={name}>
              {label}
              <input name={name} defaultValue={search[name] ?? ''} maxLength={512} autoComplete="off" />
            </label>
          ))}
          {MOMENTS.map(([name, label]) => (
            <label key={name}>
              {label}
              <input
                type="datetime-local"
                name={name}
                defaultValue={search[name]?.slice(0, 16) ?? ''}
                max="9999-12-31T23:59"
              />
            </label>
          ))}
          <button className="button">Show</button>
        </form>
      </details>
      <label className="switch">
        <input
          type="checkbox"
          checked={!search.own}
          onChange={(event) =>
            put({ own: event.target.checked ? undefined : true } as Partial<ActivitySearch>)
          }
        />
        Hide my own reads
      </label>
    </div>
  )
}
