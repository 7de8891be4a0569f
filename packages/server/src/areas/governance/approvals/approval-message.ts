/** The facts that a message about a new escalation tells. */
export type ApprovalMessage = {
  agentName: string
  tool: string
  reason: string
  /** The condition of the policy; null if unknown. */
  condition: string | null
  /** JSON; null if the call has no arguments or they are not stored. */
  argumentsText: string | null
  approveUrl: string
}

export const CHANNELS = ['slack', 'teams'] as const
export type Channel = (typeof CHANNELS)[number]

const ARGUMENTS_LENGTH_MAX = 500
const FIELD_LENGTH_MAX = 500

/** Title and lines as plain text: cut, and without invisible or direction-changing characters. */
function linesOf(message: ApprovalMessage): {
  title: string
  lines: (readonly [string, string])[]
} {
  const { condition, argumentsText } = message
  const rule = plain(message.reason, FIELD_LENGTH_MAX)
  return {
    title: `Approval needed: ${plain(message.tool, FIELD_LENGTH_MAX)}`,
    lines: [
      ['Agent', plain(message.agentName, FIELD_LENGTH_MAX)],
      ['Tool', plain(message.tool, FIELD_LENGTH_MAX)],
      ['Rule', condition === null ? rule : `${rule} (${plain(condition, FIELD_LENGTH_MAX)})`],
      ...(argumentsText === null
        ? []
        : [['Arguments', plain(argumentsText, ARGUMENTS_LENGTH_MAX)] as const]),
    ],
  }
}

function plain(text: string, lengthMax: number): string {
  const characters = [...text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD')]
  const cut = characters.slice(0, lengthMax).join('')
  return characters.length > lengthMax ? `${cut}…` : cut
}

/** The body of a request to the incoming webhook of a channel. */
export function bodyFor(channel: Channel, message: ApprovalMessage): string {
  return JSON.stringify(channel === 'slack' ? slackBody(message) : teamsBody(message))
}

/** Slack interprets neither markup nor mentions in plain_text, and `&`, `<` and `>` are escaped. */
function slackBody(message: ApprovalMessage) {
  const { title, lines } = linesOf(message)
  const text = (value: string) => ({ type: 'plain_text', text: slackText(value), emoji: false })
  return {
    text: slackText(title),
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    blocks: [
      { type: 'section', text: text(title) },
      ...lines.map(([name, value]) => ({ type: 'section', text: text(`${name}: ${value}`) })),
      {
        type: 'actions',
        elements: [{ type: 'button', text: text('Open approval'), url: message.approveUrl }],
      },
    ],
  }
}

function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** An Adaptive Card. Text runs have no markup, and mentions would need an entity beside the card. */
function teamsBody(message: ApprovalMessage) {
  const { title, lines } = linesOf(message)
  const run = (text: string, weight: 'Bolder' | 'Default') => ({ type: 'TextRun', text, weight })
  const block = (...inlines: ReturnType<typeof run>[]) => ({ type: 'RichTextBlock', inlines })
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block(run(title, 'Bolder')),
            ...lines.map(([name, value]) =>
              block(run(`${name}: `, 'Bolder'), run(value, 'Default')),
            ),
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open approval', url: message.approveUrl }],
        },
      },
    ],
  }
}

/** A plain-text e-mail. */
export function mailOf(message: ApprovalMessage): { subject: string; text: string } {
  const { title, lines } = linesOf(message)
  const facts = lines.map(([name, value]) => `${name}: ${value}`)
  const how = `Sign in to approve or reject the call:\n${message.approveUrl}`
  return { subject: title, text: [facts.join('\n'), how].join('\n\n') }
}
