/** A name and the value given to it on one line, as spans of the line. */
export interface Pair {
  name: string
  /** How the two are joined: `=` and `:` give, `=?` compares, `,` and `(` pass, `>` encloses, ` ` follows a flag. */
  by: '=' | ':' | '=?' | ',' | '(' | '>' | ' '
  start: number
  end: number
  isQuoted: boolean
}
