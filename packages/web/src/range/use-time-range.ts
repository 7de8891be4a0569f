import { useNavigate, useSearch } from '@tanstack/react-router'
import { readTimeRange, type TimeRange, writeTimeRange } from './time-range.ts'

/**
 * The range in the address, which all pages of the console share; undefined if the reader has not chosen
 * one.
 */
export function useTimeRange(): TimeRange | undefined {
  return readTimeRange(useSearch({ from: '/o/$orgId' }).range)
}

/** Changes the range of the page that is shown; undefined leaves it out of the address. */
export function useSetTimeRange(): (range: TimeRange | undefined) => void {
  const navigate = useNavigate()
  return (range) =>
    void navigate({
      to: '.',
      // A later page of a list is one of another list then.
      search: (search: object) => ({
        ...search,
        cursor: undefined,
        range: range === undefined ? undefined : writeTimeRange(range),
      }),
      replace: true,
      resetScroll: false,
    })
}
