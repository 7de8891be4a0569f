// Loaded into a node before its own code: SIGUSR2 sets its clock ten minutes ahead, and back the next time.
import { isMainThread } from 'node:worker_threads'

const AHEAD_MS = 600_000

const RealDate = Date
let aheadMs = 0

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + aheadMs)
    else super(...given)
  }

  static now() {
    return RealDate.now() + aheadMs
  }
}

if (isMainThread) {
  process.on('SIGUSR2', () => {
    aheadMs = aheadMs === 0 ? AHEAD_MS : 0
  })
}
