import type { CardTemplate, ConscienceValue } from '@touchstone/protocol/cards'

/** The template itself, as its author wrote it. */
export type Template = {
  cardId: string
  /** It is of no agent, unless its author says so; nothing reads it. */
  agentId: string | null
  card: CardTemplate
  conscienceValues: readonly ConscienceValue[]
  issuedAt: Date
}

/** What an organisation has, or has deleted. */
export type TemplateVersion = {
  orgId: string
  /** Each change takes the next number, deletions too. */
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
  /** The last version, deletions included. */
  before: TemplateVersion | undefined
  by: string
  at: Date
}

/** After a deletion it is another template, made by whoever writes it now. */
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

/** Whether the organisation's template holds for one of its agents. */
export type Exemption = {
  agentId: string
  exempt: boolean
  reason: string | null
  updatedBy: string
  updatedAt: Date
}
