import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { api, publicApi } from '../../../session/session.ts'
import { useSession } from '../../../session/use-session.ts'

export type DirectoryAgent = Answer<'GET', '/v1/reputation/search'>['agents'][number]
export type Benchmarks = Answer<'GET', '/v1/reputation/benchmarks'>
export type Compared = Answer<'GET', '/v1/reputation/compare'>['agents'][number]

export const GRADE_FILTERS = ['AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'CCC'] as const
export const CONFIDENCES = ['low', 'medium', 'high'] as const
export const SORTS = ['score', 'name', 'trend', 'checkpoints', 'assurance'] as const
export const ASSURANCE_FILTERS = ['1', '2', '3', '4'] as const

/** The search parameters in the URL; an absent one has its default. */
export type DirectorySearch = {
  q?: string
  grade?: (typeof GRADE_FILTERS)[number]
  confidence?: (typeof CONFIDENCES)[number]
  /** At least this level. */
  assurance?: (typeof ASSURANCE_FILTERS)[number]
  sort?: (typeof SORTS)[number]
  page?: number
  /** Comma-separated agent ids. */
  compare?: string
}

const PER_PAGE = 20

/** Signed-in readers also see the unlisted agents of their organisation. */
export function useDirectory({ compare: _, ...search }: DirectorySearch, perPage = PER_PAGE) {
  const session = useSession()
  return useQuery({
    queryKey: ['directory', search, perPage, session?.email],
    placeholderData: keepPreviousData,
    queryFn: () => {
      const query = { ...search, per_page: perPage }
      return session === undefined
        ? publicApi.request('GET', '/v1/directory', { query })
        : api.request('GET', '/v1/reputation/search', { query })
    },
  })
}

export function useBenchmarks() {
  return useQuery({
    queryKey: ['benchmarks'],
    queryFn: () => publicApi.request('GET', '/v1/reputation/benchmarks'),
  })
}

export function useComparison(agentIds: readonly string[]) {
  const session = useSession()
  return useQuery({
    queryKey: ['compare', agentIds, session?.email],
    enabled: session !== undefined && agentIds.length >= 2,
    queryFn: () =>
      api.request('GET', '/v1/reputation/compare', { query: { agent_ids: agentIds.join(',') } }),
  })
}

/** Parses the search parameters and drops invalid ones. */
export function readSearch(given: Record<string, unknown>): DirectorySearch {
  const page = Number(given['page'])
  return {
    ...text(given, 'q'),
    ...oneOf(given, 'grade', GRADE_FILTERS),
    ...oneOf(given, 'confidence', CONFIDENCES),
    ...oneOf(given, 'assurance', ASSURANCE_FILTERS),
    ...oneOf(given, 'sort', SORTS),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
    ...text(given, 'compare'),
  }
}

function text<K extends string>(given: Record<string, unknown>, key: K): { [P in K]?: string } {
  const value = given[key]
  if (typeof value !== 'string' && typeof value !== 'number') return {}
  // The type of a computed name is widened to string, hence the cast.
  return value === '' ? {} : ({ [key]: String(value).slice(0, 200) } as { [P in K]?: string })
}

function oneOf<K extends string, V extends string>(
  given: Record<string, unknown>,
  key: K,
  values: readonly V[],
): { [P in K]?: V } {
  // The router reads digits as a number.
  const value = values.find((one) => one === String(given[key]))
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })
}
