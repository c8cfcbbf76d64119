import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { importQuery } from '../../api/policy-queries'
import { Ask } from '../../parts/ask'
import { DefinitionWords } from '../../parts/definition-words'
import { Answer } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Foreign } from '../../parts/words'

const TAKABLE: ReadonlySet<string> = new Set(['new', 'changed', 'unpinned'])

/** What a server says of its tools, read before any of it counts. What is taken is pinned to just what was shown. */
export function ImportReview({ provider, close }: { provider: string; close: () => void }) {
  const hub = useHub()
  const asked = useQuery(importQuery(hub, provider))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isAsked, setAsked] = useState(false)
  const choose = (tool: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(tool)
    else next.delete(tool)
    setChosen(next)
  }
  return (
    <div className="review">
      <Answer of={asked} rows={4} empty={({ tools }) => tools.length === 0 && 'The server lists no tool.'}>
        {({ tools, digest }) => (
          <>
            {tools.map(({ tool, id, state, why, definition, reviewed, marks }) => (
              <section key={tool} className="panel" aria-label={tool}>
                <header className="panel-head">
                  <b>
                    <Foreign text={tool} />
                  </b>
                  <Status state={state === 'refused' ? 'refused' : state === 'same' ? 'intact' : 'waits'}>
                    {state}
                  </Status>
                  <span className="small soft">{why ?? (id === tool ? '' : `as ${id}`)}</span>
                  {TAKABLE.has(state) && (
                    <label className="panel-aside">
                      <input
                        type="checkbox"
                        checked={chosen.has(tool)}
                        onChange={({ target }) => choose(tool, target.checked)}
                      />{' '}
                      Take it
                    </label>
                  )}
                </header>
                {state !== 'same' && <DefinitionWords reviewed={reviewed} found={definition} marks={marks} />}
              </section>
            ))}
            <p className="acts">
              <button type="button" className="button" onClick={close}>
                Close
              </button>
              <button
                type="button"
                className="button main"
                disabled={chosen.size === 0}
                onClick={() => setAsked(true)}
              >
                Take {chosen.size}…
              </button>
            </p>
            {isAsked && (
              <Take
                provider={provider}
                digest={digest}
                tools={[...chosen]}
                close={() => setAsked(false)}
                done={close}
              />
            )}
          </>
        )}
      </Answer>
    </div>
  )
}

function Take(props: {
  provider: string
  digest: string
  tools: string[]
  close: () => void
  done: () => void
}) {
  const { provider, digest, tools, close, done } = props
  const { client } = useHub()
  const queries = useQueryClient()
  const [approval, setApproval] = useState<'' | 'first_call' | 'each_call'>('')
  const take = useMutation({
    mutationFn: () =>
      answerOf(
        client.POST('/v1/owner/providers/{provider}/tools', {
          params: { path: { provider } },
          body: { digest, tools, ...(approval !== '' && { approval }) },
        }),
      ),
    onSuccess: done,
    onSettled: () =>
      queries.invalidateQueries({ predicate: ({ queryKey }) => /policy|provider/.test(String(queryKey[0])) }),
  })
  return (
    <Ask
      title={`Take ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} of ${provider}?`}
      yes="Take them"
      error={take.error}
      isBusy={take.isPending}
      onYes={() => take.mutate()}
      close={close}
    >
      <p>
        Grants may include them from now on. Each is pinned to the definition that you have read; one that its
        server changes is closed until you have seen the difference.
      </p>
      <label className="field">
        Calls of the new ones
        <select value={approval} onChange={({ target }) => setApproval(target.value as typeof approval)}>
          <option value="">go through</option>
          <option value="first_call">ask me once for arguments of a shape</option>
          <option value="each_call">ask me each time</option>
        </select>
      </label>
    </Ask>
  )
}
