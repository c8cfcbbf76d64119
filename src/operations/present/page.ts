/** What a text for a person is laid out on. */
export interface Page {
  /** Where the hub listens that a text tells how to reach. */
  readonly address: string
  /** Whether it goes straight to a terminal. */
  readonly isTerminal: boolean
  /** Characters on a line; unlimited where there is no terminal. */
  readonly columns: number
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
}

/** How an operation's answer reads for a person. */
export type Present<Output> = (output: Output, page: Page) => string
