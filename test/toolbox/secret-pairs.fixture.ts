import fc from 'fast-check'

/** Two texts that differ only in a secret of one kind and length. */
export interface SecretPair {
  readonly texts: readonly [string, string]
  readonly secrets: readonly [string, string]
}

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789']
const random = (length: number) =>
  fc.array(fc.constantFrom(...LETTERS), { minLength: length, maxLength: length }).map((all) => all.join(''))

const KINDS = [
  random(36).map((rest) => `ghp_${rest}`),
  random(40).map((rest) => `sk-${rest}`),
  random(64).map(
    (rest) => `-----BEGIN RSA PRIVATE KEY-----\n${rest}\n${rest}\n-----END RSA PRIVATE KEY-----`,
  ),
]

const SETTINGS: readonly ((secret: string) => string)[] = [
  (secret) => `token: ${secret}`,
  (secret) => `# Notes\n\ntoken: ${secret} # TODO: rotate\nthe end\n`,
  (secret) => `const key = '${secret}'\r\nconst other = load(key)\r\n`,
  (secret) => `${secret}\nfirst\n`,
  (secret) => `é "${secret}", "${secret}" word\n\n`,
  (secret) => `${secret}`.replaceAll('\n', '\r\n'),
]

/** Pairs for whatever must not depend on what is hidden. */
export const PAIRS: fc.Arbitrary<SecretPair> = fc
  .tuple(fc.constantFrom(...KINDS), fc.constantFrom(...SETTINGS))
  .chain(([kind, setting]) =>
    fc.tuple(kind, kind).map(([one, other]): SecretPair => {
      return { texts: [setting(one), setting(other)], secrets: [one, other] }
    }),
  )

const JOINTS = [
  '',
  '',
  '',
  '.',
  '.*',
  '.+?',
  '\\S+',
  '\\b',
  '\\B',
  '^',
  '$',
  '(?s:.)*',
  '[^a]',
  '\\s*',
  '()',
  '\\n',
]
const FORMS: readonly ((part: string) => string)[] = [
  (part) => part,
  (part) => part,
  (part) => `(?:${part})?`,
  (part) => `(?:${part}|word|key|\\z)`,
  (part) => `(?:${part}|\\Atoken|e)`,
  (part) => `(?i:${part})`,
  (part) => `\\b${part}`,
  (part) => `${part}\\b{end}`,
  (part) => `(?:${part}(?s:.*)|t)`,
  (part) => `(?x: ${part} # \\b{\n | e )`,
]

/** A pattern made of what stands in a text in and around its secret, which an attacker may have guessed. */
export function probe(text: string, secret: string, next: () => number): string {
  const pick = <One>(all: readonly One[]) => all[next() % all.length] as One
  const within = () => {
    const from = next() % secret.length
    return secret.slice(from, from + 1 + (next() % 6))
  }
  const around = () => {
    const at = Math.max(0, text.indexOf(secret) - 6 + (next() % (secret.length + 12)))
    return text.slice(at, at + 1 + (next() % 8))
  }
  const anything = () => text.slice(next() % text.length).slice(0, 1 + (next() % 4))
  const sets = () => `[${pick(['', '^'])}${escapeAll(within())}]${pick(['', '+', '*', '{3}'])}`
  const parts = [() => escapeAll(within()), () => escapeAll(around()), () => escapeAll(anything()), sets]
  const count = 1 + (next() % 3)
  let pattern = ''
  for (let part = 0; part < count; part += 1) pattern += pick(FORMS)(pick(parts)() || 'a') + pick(JOINTS)
  return pattern
}

function escapeAll(text: string): string {
  return [...text].map((letter) => `\\x{${letter.codePointAt(0)?.toString(16)}}`).join('')
}
