/** What makes bytes or a hidden text of a written one: the value is what it is given. */
const WRAPPER =
  /(?:[A-Za-z_$][\w$.]{0,40}\(\s{0,3})?(?:\[\]byte|Buffer\.from|\w{0,20}\.?(?:b64decode|decode(?:String|Base64|Hex|_base64)?|fromhex|from_?hex|unhexlify|fromBase64(?:String)?|hex2bin|base64_decode|atob|bytes|SecretStr|sensitive|Some|(?:String|Secret\w{0,10})::(?:from|new)))\(\s{0,3}(?=[bB]?\\?["'`])/iy
/** `name || "value"`: what is taken where the name has none. */
const FALLBACK = /(?:(?:\|\||\?\?)\s{0,3}(?=["'`])| or\s{1,3}(?=["']))/g

/** A name right before a bracket: without it there is no call. */
const CALL = /[A-Za-z_$[][\w$.\]]{0,60}\(/y

/** Where the quoted text begins that a call at `at` is given; `at` itself where there is no such call. */
export function unwrap(line: string, at: number): number {
  CALL.lastIndex = at
  if (!CALL.test(line)) return at
  WRAPPER.lastIndex = at
  return at + (WRAPPER.exec(line)?.[0].length ?? 0)
}

/** Where a fallback stands in a line, and where its value begins. */
export function findFallbacks(line: string): { at: number; valueAt: number }[] {
  if (!line.includes('||') && !line.includes('??') && !line.includes(' or ')) return []
  return Array.from(line.matchAll(FALLBACK), ({ 0: sign, index }) => ({
    at: index,
    valueAt: index + sign.length,
  }))
}
