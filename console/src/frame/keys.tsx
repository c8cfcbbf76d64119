import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useHub } from '../api/hub'
import type { OpenParts } from './open-parts'
import { ALL_PLACES } from './places'

const CHORD_MS = 1_200
const HELP = [
  ['/', 'find'],
  ['g then a letter', ALL_PLACES.map(({ key, name }) => `${key} ${name}`).join(', ')],
  ['j k', 'down and up in a list'],
  ['n p', 'the next change of a proposal, and the one before'],
  ['Enter', 'open'],
  ['Esc', 'close'],
  ['a', 'approve what is open, once you stand in its decision'],
  ['.', 'hold the list still, or follow again'],
  ['Shift S', 'stop'],
  ['?', 'this list'],
] as const

/** Keys that count on every page, unless somebody is typing. */
export function Keys({ parts }: { parts: OpenParts }) {
  const navigate = useNavigate()
  const { vault } = useHub()
  const chord = useRef(0)
  useEffect(() => {
    const go = (key: string) => {
      const place = ALL_PLACES.find((one) => one.key === key)
      if (place) void navigate({ to: place.to, search: vault === 'default' ? {} : { vault } })
    }
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && parts.any) return parts.close()
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.timeStamp - chord.current < CHORD_MS && event.key.length === 1) {
        chord.current = 0
        return go(event.key)
      }
      if (event.key === 'g') chord.current = event.timeStamp
      if (event.key === '/') parts.open('find')
      else if (event.key === '?') parts.open('keys')
      else if (event.key === 'S') parts.open('stop')
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [navigate, vault, parts])
  if (!parts.is('keys')) return null
  return (
    <section className="float keys-panel" aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {HELP.map(([key, use]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{use}</dd>
          </div>
        ))}
      </dl>
      <button type="button" className="button" onClick={parts.close}>
        Close
      </button>
    </section>
  )
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
}
