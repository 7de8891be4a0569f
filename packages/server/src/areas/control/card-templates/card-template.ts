import type { CardTemplate, ConscienceValue } from '@touchstone/protocol/cards'

/** The template document as its author wrote it. */
export type Template = {
  cardId: string
  /** Null unless the author sets it; no code reads it. */
  agentId: string | null
  card: CardTemplate
  conscienceValues: readonly ConscienceValue[]
  issuedAt: Date
}

/** The stored state of an organisation's template; `template` is null after its deletion. */
export type StoredTemplate = {
  orgId: string
  /** Incremented by every change, including deletions. */
  version: number
  enabled: boolean
  template: Template | null
  createdBy: string
  updatedBy: string
  createdAt: Date
  updatedAt: Date
}

export type ExistingTemplate = StoredTemplate & { template: Template }

export function hasTemplate(stored: StoredTemplate | undefined): stored is ExistingTemplate {
  return stored !== undefined && stored.template !== null
}

export type TemplateChange = {
  orgId: string
  /** May be a deletion. */
  before: StoredTemplate | undefined
  by: string
  at: Date
}

/** Writing after a deletion creates a new template, with a new creator. */
export function nextTemplate(
  { orgId, before, by, at }: TemplateChange,
  written: { enabled: boolean; template: Template },
): ExistingTemplate {
  const first = hasTemplate(before) ? before : { createdBy: by, createdAt: at }
  return {
    orgId,
    ...written,
    version: (before?.version ?? 0) + 1,
    createdBy: first.createdBy,
    createdAt: first.createdAt,
    updatedBy: by,
    updatedAt: at,
  }
}

export function deletedTemplate(
  before: StoredTemplate,
  { by, at }: Pick<TemplateChange, 'by' | 'at'>,
): StoredTemplate {
  const version = before.version + 1
  return { ...before, version, enabled: false, template: null, updatedBy: by, updatedAt: at }
}

/** Whether one agent is exempt from its organisation's template. */
export type Exemption = {
  agentId: string
  exempt: boolean
  reason: string | null
  updatedBy: string
  updatedAt: Date
}
