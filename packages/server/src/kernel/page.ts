/** One page of a list, as asked for: numbers start at 1. */
export type PageRequest = { page: number; perPage: number }

export type Page<T> = PageRequest & { items: T[]; total: number }

export type PageLimits = { perPageDefault: number; perPageMax: number }

/** Interface, Limits: default 20, at most 100. */
const USUAL: PageLimits = { perPageDefault: 20, perPageMax: 100 }

/** Asking for more than the maximum is lowered to it and echoed, not refused (04 §1.4). */
export function toPageRequest(
  query: { page?: number; per_page?: number },
  limits: PageLimits = USUAL,
): PageRequest {
  return {
    page: query.page ?? 1,
    perPage: Math.min(query.per_page ?? limits.perPageDefault, limits.perPageMax),
  }
}

export function offsetOf(request: PageRequest): number {
  return (request.page - 1) * request.perPage
}
