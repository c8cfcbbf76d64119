const FORM = /^evc_(\d{1,15})$/

/** The word for a place in the events of a subscription. */
export function cursorOf(seq: number): string {
  return `evc_${seq}`
}

/** The place that a word stands for, or undefined when it is not one of ours. */
export function findSeq(cursor: string): number | undefined {
  const digits = FORM.exec(cursor)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
