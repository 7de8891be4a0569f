import { pageOf, textOf } from '../agents/search.ts'

export type AuditSearch = {
  actor?: string | undefined
  action?: string | undefined
  target?: string | undefined
  page?: number | undefined
}

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return {
    actor: textOf(search['actor']),
    action: textOf(search['action']),
    target: textOf(search['target']),
    page: pageOf(search['page']),
  }
}
