/** The time of this machine, for who needs nothing else of the system: chance takes long to load. */
export function realNow(): Date {
  return new Date()
}
