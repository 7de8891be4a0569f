import type { Tone } from './pill.tsx'

export type Level = 'low' | 'medium' | 'high' | 'critical'

/** One tone per level, used wherever a level is shown. */
export const LEVEL_TONES: Record<Level, Tone> = {
  low: 'good',
  medium: 'warn',
  high: 'bad',
  critical: 'bad',
}
