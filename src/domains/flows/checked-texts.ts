/** All kept texts together have at most so many characters; the longest unused one goes first. */
const KEPT_LIMIT_CHARS = 8_388_608
/** A longer text is read each time: a few of them would push out everything else. */
const TEXT_LIMIT_CHARS = 262_144

/**
 * Texts that were found to have their hash, by that hash. The same hash always means the same text, so
 * nothing in here can be out of date; who may see a text is decided by the row that names its hash.
 */
export function keepCheckedTexts() {
  const texts = new Map<string, string>()
  let chars = 0
  const drop = (hash: string, text: string) => {
    chars -= text.length
    texts.delete(hash)
  }
  return {
    find(hash: string): string | undefined {
      const text = texts.get(hash)
      if (text === undefined) return undefined
      texts.delete(hash)
      texts.set(hash, text)
      return text
    },
    keep(hash: string, text: string): void {
      if (text.length > TEXT_LIMIT_CHARS || texts.has(hash)) return
      texts.set(hash, text)
      chars += text.length
      for (const [oldest, old] of texts) {
        if (chars <= KEPT_LIMIT_CHARS) break
        drop(oldest, old)
      }
    },
  }
}
