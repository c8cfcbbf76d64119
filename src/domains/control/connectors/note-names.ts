const NOTE = /\.(?:md|markdown|mdx|txt|text|org|rst|adoc)$/i

/** Whether a file is a text for people by its name. */
export function isNoteName(name: string): boolean {
  return NOTE.test(name)
}
