import { sentenceCase } from '../../ui/marks.tsx'

const ABBREVIATIONS = /\b(?:api|sso|url|id)\b/gi

/**
 * Codes of the audit log in words: `api_key.created` becomes "API key created". Approvals are called escalations in the
 * API only.
 */
export function actionName(code: string): string {
  const words = code
    .replaceAll('.', ' ')
    .replaceAll(/\borg\b/g, 'organisation')
    .replaceAll('escalation', 'approval')
  return sentenceCase(words).replaceAll(ABBREVIATIONS, (word) => word.toUpperCase())
}
