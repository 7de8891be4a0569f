import type { Tone } from './pill.tsx'

export type Level = 'low' | 'medium' | 'high' | 'critical'

/** One colour per level, wherever a level is told. */
export const LEVEL_TONES: Record<Level, Tone> = {
  low: 'good',
  medium: 'warn',
  high: 'bad',
  critical: 'bad',
}
