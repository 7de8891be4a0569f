import type { Provenance } from '../evidence/provenance.ts'
import { isSetAside, type ThinFlag } from '../evidence/thin-evidence.ts'
import { type AssuranceDay, utcDay } from './assurance.ts'

/** A checkpoint of the scoring set, as far as assurance depends on it. */
export type AssuredCheckpoint = {
  receivedAtMs: number
  verdict: string
  provenance: Provenance
  flags: readonly string[]
}

const NOVELTY: readonly ThinFlag[] = ['low_novelty', 'word_salad']
const BURST: readonly ThinFlag[] = ['burst']

/** Sums checkpoints by the UTC day on which they were received. */
export function createAssuranceDays() {
  const days = new Map<number, AssuranceDay>()
  return {
    add(one: AssuredCheckpoint): void {
      const day = utcDay(one.receivedAtMs)
      days.set(day, withCheckpoint(days.get(day) ?? emptyDay(day), one))
    },
    days: (): AssuranceDay[] => [...days.values()],
  }
}

function emptyDay(day: number): AssuranceDay {
  return {
    day,
    clear: 0,
    setAsideByBurst: 0,
    setAsideByNovelty: 0,
    effective: 0,
    observed: 0,
    relayed: 0,
  }
}

function withCheckpoint(
  day: AssuranceDay,
  { verdict, flags, provenance }: AssuredCheckpoint,
): AssuranceDay {
  const isClear = verdict === 'clear'
  const has = (some: readonly ThinFlag[]) => isClear && some.some((flag) => flags.includes(flag))
  const isEffective = !isSetAside(flags, verdict)
  return {
    day: day.day,
    clear: day.clear + Number(isClear),
    setAsideByBurst: day.setAsideByBurst + Number(has(BURST)),
    setAsideByNovelty: day.setAsideByNovelty + Number(has(NOVELTY)),
    effective: day.effective + Number(isEffective),
    observed: day.observed + Number(isEffective && provenance === 'observed'),
    relayed: day.relayed + Number(isEffective && provenance === 'relayed'),
  }
}
