import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { homeAt } from '../basics/home.ts'
import { realSystem } from '../basics/system.ts'
import { createBackup } from '../storage/backup/backup.ts'
import { restoreBackup } from '../storage/backup/restore-backup.ts'
import type { Database } from '../storage/database.ts'
import { openDatabase } from '../storage/open-database.ts'
import { openText, sealText } from './envelope.ts'
import { openSecret, sealSecret } from './sealed-secrets.ts'
import { ensureSecretsKey, type SecretsPlace } from './secrets-key.ts'

const PLACE = { id: 'conn_1', field: 'password' }
const GIVEN_KEY = { KNOWTATION_SECRETS_KEY: 'ab'.repeat(32) }
/** Sealed for the place with that key: whatever is stored like this has to open for as long as it is stored. */
const KEPT =
  'AfmSmgvH+B9bxCnfNe+wb4U5Zt92Go1pNOMnkWjaIaSPvMmHouHRnfeJyo40dmKIbeXc7PUtx5zWD+owRDgOwokPjoSj3e4aPX9xSdrWzMca' +
  'qJ/9Ti7WX47xGqUt/5Xq9BiOg9U7zxbu'
/** Where the parts of an envelope begin: the nonce of its own key, that of its text, and the text. */
const STARTS = { key_nonce: 9, nonce: 69, text: 81 } as const
let folder: string
let db: Database
let hub: SecretsPlace

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'knowtation-secrets-'))
  const home = homeAt(folder, {})
  hub = { home, env: {}, system: realSystem }
  db = await openDatabase(home, {}, realSystem.now(), { checkIntegrity: false })
})

afterEach(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

const seal = (at: SecretsPlace = hub, text = 'a secret') =>
  db.transaction((tx) => sealSecret(tx, at, PLACE, text))

describe('the envelope', () => {
  test('whatever is sealed comes out again, and at no other place', () => {
    const key = ensureSecretsKey(hub)
    const place = fc.record({ id: fc.string({ minLength: 1 }), field: fc.string({ minLength: 1 }) })
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), place, place, (text, at, other) => {
        const sealed = sealText(key, at, text)
        expect(openText(key, at, sealed)).toBe(Buffer.from(text).toString())
        expect(sealText(key, at, text)).not.toBe(sealed)
        // The id alone and the field alone must each keep it shut.
        for (const elsewhere of [other, { ...at, id: other.id }, { ...at, field: other.field }])
          if (at.id !== elsewhere.id || at.field !== elsewhere.field)
            expect(() => openText(key, elsewhere, sealed)).toThrow('damaged')
      }),
      { numRuns: 50 },
    )
  })

  test('no changed or shortened envelope opens', () => {
    const key = ensureSecretsKey(hub)
    const sealed = Buffer.from(sealText(key, PLACE, 'hunter2hunter2'), 'base64')
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(sealed)
        changed[at] = (changed[at] as number) ^ change
        expect(() => openText(key, PLACE, changed.toString('base64'))).toThrow(/password of conn_1/)
        expect(() => openText(key, PLACE, sealed.subarray(0, at).toString('base64'))).toThrow(/damaged/)
      }),
    )
  })

  test('has a key and nonces of its own: no part of one serves another', () => {
    const key = ensureSecretsKey(hub)
    const [one, two] = [0, 1].map(() => Buffer.from(sealText(key, PLACE, 'a secret'), 'base64')) as [
      Buffer,
      Buffer,
    ]
    const nonces = [one, two].flatMap((all) => [
      all.toString('hex', STARTS.key_nonce, STARTS.key_nonce + 12),
      all.toString('hex', STARTS.nonce, STARTS.text),
    ])
    expect(new Set(nonces).size).toBe(4)
    const mixed = Buffer.concat([one.subarray(0, STARTS.nonce), two.subarray(STARTS.nonce)])
    expect(() => openText(key, PLACE, mixed.toString('base64'))).toThrow('damaged')
  })

  test('that was stored before opens', () => {
    expect(openSecret({ ...hub, env: GIVEN_KEY }, PLACE, KEPT)).toBe('a secret')
  })
})

describe('the key', () => {
  test('is made once, for its owner alone, and never holds what it seals', async () => {
    const sealed = await seal()
    const file = hub.home.secretsKey
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(/^[0-9a-f]{64}\n$/)
    expect(Buffer.from(sealed, 'base64').includes('a secret')).toBe(false)
    expect(openSecret(hub, PLACE, sealed)).toBe('a secret')
    await seal()
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('a key that is gone is named and never replaced by a new one', async () => {
    const sealed = await seal()
    const file = hub.home.secretsKey
    rmSync(file)
    expect(() => openSecret(hub, PLACE, sealed)).toThrow(`The key ${file} is missing.`)
    await expect(seal()).rejects.toThrow(`The key ${file} is missing.`)
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined()
  })

  test.each(['', 'too short', 'g'.repeat(64), `${'a'.repeat(64)}\n${'b'.repeat(64)}`])(
    'a damaged key file is named: %j',
    async (text) => {
      const sealed = await seal()
      const file = hub.home.secretsKey
      writeFileSync(file, text)
      expect(() => openSecret(hub, PLACE, sealed)).toThrow(`The key in ${file} is damaged`)
      await expect(seal()).rejects.toThrow(`The key in ${file} is damaged`)
    },
  )

  test.each([0o640, 0o604, 0o660])('a key file that others may read is not used: %o', async (mode) => {
    const sealed = await seal()
    chmodSync(hub.home.secretsKey, mode)
    expect(() => openSecret(hub, PLACE, sealed)).toThrow(`chmod 600 ${hub.home.secretsKey}`)
  })

  test('the environment can hold the key; then no file is made', async () => {
    const at = { ...hub, env: GIVEN_KEY }
    const sealed = await seal(at)
    expect(openSecret(at, PLACE, sealed)).toBe('a secret')
    expect(statSync(hub.home.secretsKey, { throwIfNoEntry: false })).toBeUndefined()
    const damaged = { ...hub, env: { KNOWTATION_SECRETS_KEY: 'nothing' } }
    expect(() => openSecret(damaged, PLACE, sealed)).toThrow('The key in KNOWTATION_SECRETS_KEY is damaged')
  })

  test('one store has one key: a second one neither seals nor opens', async () => {
    const sealed = await seal()
    const other = { ...hub, env: { KNOWTATION_SECRETS_KEY: 'cd'.repeat(32) } }
    await expect(seal(other)).rejects.toThrow('KNOWTATION_SECRETS_KEY holds the key')
    expect(() => openSecret(other, PLACE, sealed)).toThrow('KNOWTATION_SECRETS_KEY holds the key')
  })

  test('goes into a backup with what it seals, and comes back with it', async () => {
    const sealed = await seal()
    const place = join(folder, 'backup')
    const home = homeAt(folder, {})
    await createBackup(home, {}, place, realSystem)
    const restored = homeAt(join(folder, 'restored'), {})
    await restoreBackup(restored, {}, place, realSystem)
    expect(openSecret({ ...hub, home: restored }, PLACE, sealed)).toBe('a secret')
    expect(statSync(restored.secretsKey).mode & 0o777).toBe(0o600)
  })
})
