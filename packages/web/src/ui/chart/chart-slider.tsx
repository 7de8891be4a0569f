export type ChartSliderProps = {
  label: string
  /** The number of places. */
  count: number
  place: number
  /** The values at the place, as a text. */
  text: string
  onPlace: (place: number) => void
  /** False when the focus has gone, and for a focus that the reader did not move by keys. */
  onFocus: (isVisible: boolean) => void
  onEnter?: () => void
}

/**
 * Lies over a chart and lets the arrow keys, Home and End read its values: a chart is a slider to assistive
 * technology.
 */
export function ChartSlider(props: ChartSliderProps) {
  const { label, count, place, text, onPlace, onFocus, onEnter } = props
  return (
    <input
      type="range"
      className="pointer-events-none absolute inset-0 size-full opacity-0"
      aria-label={label}
      aria-valuetext={text}
      min={0}
      max={count - 1}
      value={place}
      onChange={(event) => onPlace(event.target.valueAsNumber)}
      onFocus={(event) => onFocus(event.target.matches(':focus-visible'))}
      onBlur={() => onFocus(false)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onEnter?.()
      }}
    />
  )
}

/** The class of the frame around a chart and its slider. */
export const CHART_FRAME =
  'relative rounded has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus'
