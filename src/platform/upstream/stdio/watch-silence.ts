export interface Watched {
  /** Asks for a sign of life. */
  ask(): void
  patience_ms(): number
  onSilent(): void
}

export interface SilenceWatch {
  /** A call has run out of time: is it that call alone, or does the child answer nothing any more? */
  begin(): void
  /** Something was heard, or nobody listens any more. */
  end(): void
}

/** Tells a child that hangs from one that is slow: a living one says something when it is asked. */
export function watchSilence({ ask, patience_ms, onSilent }: Watched): SilenceWatch {
  let timer: NodeJS.Timeout | undefined
  return {
    begin() {
      if (timer) return
      timer = setTimeout(onSilent, patience_ms())
      timer.unref()
      ask()
    },
    end() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
