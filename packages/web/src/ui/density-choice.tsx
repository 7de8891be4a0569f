import { setDensity, useDensity } from './density.ts'
import { Segments } from './segments.tsx'

const OPTIONS = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'compact', label: 'Compact' },
] as const

/** How much room lines and controls take in this browser, on screens that are not small. */
export function DensityChoice() {
  return <Segments label="Density" value={useDensity()} options={OPTIONS} onChange={setDensity} />
}
