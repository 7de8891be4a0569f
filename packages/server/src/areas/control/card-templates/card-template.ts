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

/** One version of an organisation's template, or of its deletion. */
export type TemplateVersion = {
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

export type StoredTemplate = TemplateVersion & { template: Template }

export function isStored(version: TemplateVersion | undefined): version is StoredTemplate {
  return version !== undefined && version.template !== null
}

export type TemplateChange = {
  orgId: string
  /** The last version, which may be a deletion. */
  before: TemplateVersion | undefined
  by: string
  at: Date
}

/** Writing after a deletion creates a new template, with a new creator. */
export function nextTemplate(
  { orgId, before, by, at }: TemplateChange,
  written: { enabled: boolean; template: Template },
): StoredTemplate {
  const first = isStored(before) ? before : { createdBy: by, createdAt: at }
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
  before: TemplateVersion,
  { by, at }: Pick<TemplateChange, 'by' | 'at'>,
): TemplateVersion {
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
