/** Runs one piece of work per turn of the event loop, in order, so that others run in between. */
export function createTurns(): (work: () => void) => void {
  const waiting: (() => void)[] = []
  const runNext = (): void => {
    const work = waiting.shift()
    if (waiting.length > 0) setImmediate(runNext)
    work?.()
  }
  return (work) => {
    waiting.push(work)
    if (waiting.length === 1) setImmediate(runNext)
  }
}
