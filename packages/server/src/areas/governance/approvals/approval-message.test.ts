import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyFor, mailOf } from './approval-message.ts'

const MESSAGE = {
  agentName: 'Shop desk',
  tool: 'refund',
  reason: 'Refunds are for people',
  condition: "tool == 'refund'",
  argumentsText: '{"amount":60}',
  approveUrl: 'https://touchstone.example.com/approvals/esc-1',
}

describe('a message about an escalation', () => {
  it('tells agent, tool, rule, arguments and the link on every channel', () => {
    for (const body of [
      bodyFor('slack', MESSAGE),
      bodyFor('teams', MESSAGE),
      JSON.stringify(mailOf(MESSAGE)),
    ]) {
      for (const part of [
        'Shop desk',
        'refund',
        'Refunds are for people',
        JSON.stringify(MESSAGE.argumentsText).slice(1, -1),
        MESSAGE.approveUrl,
      ]) {
        expect(body).toContain(part)
      }
    }
    expect(bodyFor('slack', { ...MESSAGE, argumentsText: null })).not.toContain('Arguments')
  })

  it('shows the first 500 characters of the arguments', () => {
    const long = { ...MESSAGE, argumentsText: `${'🧾'.repeat(500)}end` }
    expect(mailOf(long).text).toContain(`${'🧾'.repeat(500)}…`)
    expect(mailOf(long).text).not.toContain('end')
  })

  it('mentions nobody in Slack and has no markup, whatever the arguments are', () => {
    const hostile = '<!channel> <@U1> <https://evil.example|click> *bold* @here'
    const body = JSON.parse(bodyFor('slack', { ...MESSAGE, argumentsText: hostile, tool: hostile }))
    expect(body).toMatchObject({ parse: 'none', link_names: false })
    expect(JSON.stringify(body)).not.toMatch(/[<>]/)
    for (const { text } of body.blocks.slice(0, -1)) expect(text.type).toBe('plain_text')
    expect(body.blocks[2].text.text).toContain('&lt;!channel&gt; &lt;@U1&gt;')
  })

  it('has only text runs in Teams, which have no markup', () => {
    const hostile = '**bold** [click](https://evil.example) <at>Everyone</at>'
    const [{ content }] = JSON.parse(
      bodyFor('teams', { ...MESSAGE, argumentsText: hostile }),
    ).attachments
    expect(content.msteams).toBeUndefined()
    for (const { type, inlines } of content.body) {
      expect(type).toBe('RichTextBlock')
      for (const one of inlines) expect(one.type).toBe('TextRun')
    }
    expect(content.actions).toHaveLength(1)
  })

  it('has no control or direction-changing characters and one line per fact', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (tool) => {
        const mail = mailOf({ ...MESSAGE, tool: `a\r\nBcc: x\u202e${tool}` })
        expect(mail.subject).not.toMatch(/[\p{Cc}\p{Cf}]/u)
        expect(mail.text.split('\n')).toHaveLength(7)
      }),
    )
  })
})
