/**
 * What a word on a line may say of the names on it, for a quick look that does not read them. Of `pass` it depends on
 * what follows it.
 */
export type Saying = 'password' | 'pass' | 'secret' | 'other'

/**
 * Texts that make no line worth a look by themselves. On a line that is looked at for another reason they are read: a
 * quick look must not pass over a line that has such a reason and one of them. What says something is a part of a name.
 */
export const ASIDES: readonly (readonly [text: string, says: Saying | 'colour' | 'beside'])[] = [
  ['\\u001b[', 'colour'],
  // The kind of a Kubernetes object, and a variable of Terraform.
  ...["kind'", 'kind"', 'variable ', 'variable\t'].map((text) => [text, 'beside'] as const),
  // Signs that are written for a web page, an address or a JSON text, and rows of SQL.
  ...'&quot; &apos; &#34 &#39 &#x2 \\u002 \\u003 %3a %3d values'
    .split(' ')
    .map((text) => [text, 'beside'] as const),
  ...'geslo slaptazodis pasahitza lykilord authtok'.split(' ').map((text) => [text, 'password'] as const),
  ...'bearer authoriz access'.split(' ').map((text) => [text, 'secret'] as const),
]
