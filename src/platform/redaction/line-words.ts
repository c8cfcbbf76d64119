/**
 * What a word on a line may say of the names on it, for a quick look that does not read them. Of `pass` it depends on
 * what follows it.
 */
export type Saying = 'password' | 'pass' | 'secret' | 'other'

/** Where one of these stands, the line may name a secret. Anything may be given to a word for a password. */
export const WORDS: Record<Saying, readonly string[]> = {
  pass: ['pass'],
  password: (
    'pwd psw pssw pasw psk pw contrase senha kennwort wachtw parola heslo salasana jelsz lozink adgangsk haslo sifre ' +
    'losenord parool sandi'
  ).split(' '),
  secret: 'secret token cred jwt segret segred bundle_'.split(' '),
  other: 'key auth login session sid csrf sig'.split(' '),
}

/**
 * Texts that make no line worth a look by themselves. On a line that is looked at for another reason they are read: a
 * quick look must not pass over a line that has such a reason and one of them. What says something is a part of a name.
 */
export const ASIDES: readonly (readonly [text: string, says: Saying | 'colour' | 'beside'])[] = [
  ['\\u001b[', 'colour'],
  // The kind of a Kubernetes object, and a variable of Terraform.
  ...["kind'", 'kind"', 'variable ', 'variable\t'].map((text) => [text, 'beside'] as const),
  // Rows of SQL, and signs that are written for a web page, an address or a JSON text.
  ...['into ', 'into\t'].map((text) => [text, 'beside'] as const),
  ...'&quot; &apos; &#34 &#39 &#x2 \\u002 \\u003 %3a %3d'.split(' ').map((text) => [text, 'beside'] as const),
  ...'geslo slaptazodis pasahitza lykilord authtok'.split(' ').map((text) => [text, 'password'] as const),
  ...'bearer authoriz access'.split(' ').map((text) => [text, 'secret'] as const),
]
