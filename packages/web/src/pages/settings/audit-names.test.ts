import { expect, it } from 'vitest'
import { actionName } from './audit-names.ts'

it.each([
  ['api_key.created', 'API key created'],
  ['org.created', 'Organisation created'],
  ['policy.updated', 'Policy updated'],
  ['escalation.resolved', 'Approval resolved'],
  ['card_template', 'Card template'],
  ['slack_webhook_url', 'Slack webhook URL'],
])('%s is shown as %s', (code, name) => {
  expect(actionName(code)).toBe(name)
})
