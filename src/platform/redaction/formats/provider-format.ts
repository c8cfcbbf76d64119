/** One kind of token that its issuer made recognisable. */
export interface ProviderFormat {
  rule: string
  /** Texts one of which begins each such token; case is settled by the pattern. */
  anchors: readonly string[]
  /** The token from its anchor on. Repetitions are bounded, so that a failed try is cheap. */
  pattern: string
  /** A repeated filler such as `xxxx` is no token, unless the beginning alone says enough. */
  allowsFiller?: true
  /** Letters or digits may stand right before it. */
  allowsInside?: true
  /** Where it fails, it fails at every place of the same run of letters, digits, `_` and `-`. */
  failsByRun?: true
}

export const WORD = '[A-Za-z0-9_-]'
export const ALNUM = '[A-Za-z0-9]'
export const HEX = '[a-fA-F0-9]'
export const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`
/** No letter or digit follows: the length is part of the format. */
export const END = '(?![A-Za-z0-9])'

export function format(
  rule: string,
  anchors: string,
  pattern: string,
  options: Partial<ProviderFormat> = {},
): ProviderFormat {
  return { rule, anchors: anchors.split(' '), pattern, ...options }
}
