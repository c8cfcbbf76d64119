/** All kept texts together have at most so many characters; those used in the last half of it stay. */
const KEPT_LIMIT_CHARS = 8_388_608
/** A longer text is read each time: a few of them would push out everything else. */
const TEXT_LIMIT_CHARS = 262_144

/**
 * A bounded cache of texts that were found to have their hash, by that hash. The same hash always means the same text, so
 * nothing in here can be out of date; who may see a text is decided by the row that names its hash.
 */
export function keepCheckedTexts() {
  let lately = new Map<string, string>()
  let before = new Map<string, string>()
  let chars = 0
  const keep = (hash: string, text: string) => {
    if (text.length > TEXT_LIMIT_CHARS || lately.has(hash)) return
    if (chars + text.length > KEPT_LIMIT_CHARS / 2) {
      before = lately
      lately = new Map()
      chars = 0
    }
    lately.set(hash, text)
    chars += text.length
  }
  return {
    keep,
    find(hash: string): string | undefined {
      const found = lately.get(hash)
      if (found !== undefined) return found
      const earlier = before.get(hash)
      if (earlier !== undefined) keep(hash, earlier)
      return earlier
    },
  }
}
