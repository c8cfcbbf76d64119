import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { fakePrivateKey, fakeProviderTokens, fakeText, HEX, LOWER } from './fixtures/fake-secrets.ts'
import { createRedactor } from './redactor.ts'

const CORPUS = join(import.meta.dirname, '../../../../shared/corpora/secrets-open.jsonl.gz')

interface Row {
  label: 'secret' | 'benign'
  tier: string
  source: string
  text: string
  secret?: string
}

/** Labelled lines of several scanners where they are at hand, otherwise lines of the same kinds made here. */
function readRows(): Row[] {
  if (!existsSync(CORPUS)) return ownRows()
  const lines = gunzipSync(readFileSync(CORPUS)).toString().trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Row)
}

function ownRows(): Row[] {
  const row = (label: Row['label'], tier: string, text: string, secret?: string): Row => ({
    label,
    tier,
    text,
    source: label === 'benign' ? 'repo-lines' : 'own',
    ...(secret === undefined ? {} : { secret }),
  })
  const secrets = [...Object.values(fakeProviderTokens()), fakePrivateKey().split('\n')[3] as string]
  const values = Array.from({ length: 40 }, (_, seed) =>
    fakeText(24 + seed, seed + 1, seed % 2 ? LOWER : undefined),
  )
  return [
    ...secrets.slice(0, -1).map((secret) => row('secret', 'core', `TOKEN = "${secret}"`, secret)),
    row('secret', 'core', fakePrivateKey(), secrets.at(-1)),
    ...values.map((secret) => row('secret', 'entropy', `apiKey: "${secret}"`, secret)),
    ...values.map((secret) =>
      row('secret', 'keyword', `db_password = ${secret.slice(0, 10)}1a`, secret.slice(0, 10)),
    ),
    ...values.map((_, seed) => row('benign', 'lockfile', `checksum = "${fakeText(64, seed + 1, HEX)}"`)),
    ...values.map((_, seed) => row('benign', 'clean', `  const token${seed} = readToken(options.cookie)`)),
  ]
}

const redactor = createRedactor()
const rows = readRows()

function share(label: Row['label'], tiers: readonly string[], isSource = (_source: string) => true): number {
  const counted = rows.filter(
    (row) => row.label === label && tiers.includes(row.tier) && isSource(row.source),
  )
  const touched = counted.filter(({ text, secret }) => {
    const shown = redactor.redact(text)
    return secret === undefined ? shown !== text : !shown.includes(secret)
  })
  return counted.length === 0 ? 0 : touched.length / counted.length
}

test('secrets of known and of random form are gone', () => {
  expect(share('secret', ['core', 'entropy', 'hard'])).toBeGreaterThanOrEqual(0.96)
})

test('values after a key word are gone', () => {
  expect(share('secret', ['keyword'])).toBeGreaterThanOrEqual(0.6)
})

test('other lines are shown', () => {
  expect(share('benign', ['clean', 'high_entropy_benign'])).toBeLessThanOrEqual(0.015)
  expect(
    share('benign', ['clean', 'high_entropy_benign', 'lockfile'], (source) =>
      source.startsWith('repo-lines'),
    ),
  ).toBe(0)
})
