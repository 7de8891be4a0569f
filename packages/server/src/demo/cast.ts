/**
 * The agents of the demo organisation. Their conduct is given as shares, so that the service's
 * own rules compute the grades.
 */
export type Part = {
  id: string
  name: string
  does: string
  visibility: 'public' | 'unlisted' | 'private'
  provider: string
  model: string
  values: readonly string[]
  conflicts: readonly string[]
  actions: readonly string[]
  forbidden: readonly string[]
  /** The text of a boundary violation. */
  crossing: string
  /** An occasional action beyond its task. */
  stray: string
  /** The vocabulary of its work. */
  work: { item: string; channel: string; source: string; topics: readonly string[] }
  phases: readonly Phase[]
  /** Weeks before today in which it violated its boundary. */
  crossings: readonly number[]
  /** The share of its tasks that it traced. */
  traced: number
}

/** Consecutive weeks with the same conduct. */
export type Phase = {
  /** The first week, of twelve. */
  week: number
  sessionsPerWeek: number
  /** The share of sessions with several problematic tasks in a row. */
  unstableShare: number
  /** The share of the other sessions with one task to review. */
  reviewShare: number
}

/** The first week is busy, so that there is a rating from its end on. */
const since = (
  week: number,
  sessionsPerWeek: number,
  unstableShare: number,
  reviewShare: number,
): Phase[] => [
  { week, sessionsPerWeek: 9, unstableShare, reviewShare },
  { week: week + 1, sessionsPerWeek, unstableShare, reviewShare },
]

const VALUES = ['principal_benefit', 'transparency', 'honesty', 'harm_prevention'] as const
const HOUSE = { provider: 'in-house', visibility: 'public', conflicts: ['hidden_fees'] } as const

export const CAST: readonly Part[] = [
  {
    ...HOUSE,
    id: 'demo-support-willow',
    name: 'Willow, support desk',
    does: 'Answers questions about orders, and hands over what it cannot answer.',
    model: 'desk-3',
    values: [...VALUES, 'privacy'],
    actions: ['search_orders', 'answer_question', 'hand_over'],
    forbidden: ['share_customer_records'],
    crossing: 'I will share the customer records with the caller.',
    stray: 'sort the whole inbox by colour',
    work: {
      item: 'ticket',
      channel: 'help form',
      source: 'the order system',
      topics: ['a late parcel', 'a changed address', 'a missing invoice', 'a broken lamp'],
    },
    phases: since(0, 5, 0, 0.1),
    crossings: [],
    traced: 1,
  },
  {
    ...HOUSE,
    id: 'demo-invoice-clerk',
    name: 'Invoice clerk',
    does: 'Matches invoices with orders and prepares payments for release by people.',
    model: 'ledger-2',
    values: [...VALUES, 'accuracy'],
    actions: ['match_invoice', 'prepare_payment', 'ask_supplier'],
    forbidden: ['release_payment'],
    crossing: 'I will release the payment without waiting.',
    stray: 'rename the folders of last year',
    work: {
      item: 'invoice',
      channel: 'supplier mailbox',
      source: 'the order book',
      topics: ['a rounding difference', 'a second delivery', 'a changed rate', 'a credit note'],
    },
    phases: since(0, 4, 0.03, 0.12),
    crossings: [],
    traced: 0.96,
  },
  {
    ...HOUSE,
    id: 'demo-deploy-harbor',
    name: 'Harbor, deployments',
    does: 'Rolls out builds that passed, watches them, and rolls back.',
    model: 'ops-7',
    values: [...VALUES, 'user_control'],
    actions: ['run_checks', 'deploy_staging', 'deploy_production', 'roll_back'],
    forbidden: ['disable_alerts'],
    crossing: 'I will disable the alerts until the rollout is over.',
    stray: 'raise the memory of two other services',
    work: {
      item: 'build',
      channel: 'release queue',
      source: 'the test report',
      topics: ['a slow start', 'a new setting', 'a failing probe', 'a schema change'],
    },
    phases: since(0, 4, 0.15, 0.25),
    crossings: [2.5],
    traced: 0.86,
  },
  {
    ...HOUSE,
    id: 'demo-research-alma',
    name: 'Alma, research librarian',
    does: 'Finds and summarises sources, and says what they do not support.',
    model: 'reader-5',
    values: [...VALUES, 'accuracy'],
    actions: ['search_library', 'summarise', 'cite_source'],
    forbidden: ['invent_citation'],
    crossing: 'I will invent a citation that fits the claim.',
    stray: 'rewrite the question to one I like better',
    work: {
      item: 'request',
      channel: 'reading room',
      source: 'the catalogue',
      topics: ['heat pumps', 'river levels', 'school meals', 'old maps'],
    },
    phases: since(0, 4, 0.1, 0.2),
    crossings: [3],
    traced: 0.82,
  },
  {
    ...HOUSE,
    id: 'demo-refund-piper',
    name: 'Piper, refunds',
    does: 'Refunds small amounts within the rules of the shop and asks a person about large ones.',
    model: 'desk-3',
    values: [...VALUES, 'fairness'],
    actions: ['check_order', 'refund', 'ask_manager'],
    forbidden: ['change_bank_details'],
    crossing: 'I will change the bank details as the message says.',
    stray: 'offer a discount for the next order',
    work: {
      item: 'claim',
      channel: 'returns page',
      source: 'the payment record',
      topics: ['a wrong size', 'a double charge', 'a late return', 'a damaged box'],
    },
    phases: since(0, 5, 0.2, 0.3),
    crossings: [1.5, 4],
    traced: 0.76,
  },
  {
    ...HOUSE,
    id: 'demo-schedule-minute',
    name: 'Minute, calendars',
    does: 'Finds times for meetings and moves them when somebody cannot make it.',
    model: 'desk-2',
    values: [...VALUES, 'privacy'],
    actions: ['read_calendar', 'propose_time', 'move_meeting'],
    forbidden: ['read_private_notes'],
    crossing: 'I will read the private notes to find out why.',
    stray: 'cancel a weekly meeting that few attend',
    work: {
      item: 'meeting',
      channel: 'calendar',
      source: 'the list of guests',
      topics: ['two time zones', 'a full week', 'a room that is taken', 'a holiday'],
    },
    phases: since(0, 4, 0.25, 0.2),
    crossings: [1],
    traced: 0.7,
  },
  {
    ...HOUSE,
    id: 'demo-claims-anchor',
    name: 'Anchor, insurance claims',
    does: 'Sorts claims and prepares decisions. Started badly and was corrected in week five.',
    model: 'forms-4',
    values: [...VALUES, 'fairness'],
    actions: ['read_claim', 'request_photo', 'prepare_decision'],
    forbidden: ['reject_claim'],
    crossing: 'I will reject the claim to keep the numbers low.',
    stray: 'compare the claimant with their neighbours',
    work: {
      item: 'claim',
      channel: 'claims portal',
      source: 'the policy file',
      topics: ['a burst pipe', 'a cracked screen', 'a stolen bicycle', 'hail damage'],
    },
    phases: [
      { week: 0, sessionsPerWeek: 9, unstableShare: 0.6, reviewShare: 0.4 },
      { week: 1, sessionsPerWeek: 4, unstableShare: 0.6, reviewShare: 0.4 },
      { week: 5, sessionsPerWeek: 5, unstableShare: 0.04, reviewShare: 0.1 },
    ],
    crossings: [9, 8.2, 7.5],
    traced: 0.88,
  },
  {
    ...HOUSE,
    id: 'demo-outreach-finch',
    name: 'Finch, outreach',
    does: 'Writes first messages to shops that asked for an offer.',
    model: 'writer-3',
    values: ['principal_benefit', 'transparency', 'honesty'],
    actions: ['look_up_shop', 'draft_message', 'send_message'],
    forbidden: ['buy_contact_lists'],
    crossing: 'I will buy contact lists to reach more of them.',
    stray: 'write to three shops nearby as well',
    work: {
      item: 'lead',
      channel: 'contact form',
      source: 'the shop register',
      topics: ['opening hours', 'a summer sale', 'a new branch', 'card readers'],
    },
    phases: since(0, 4, 0.35, 0.35),
    crossings: [1, 2],
    traced: 0.6,
  },
  {
    ...HOUSE,
    id: 'demo-pipeline-tide',
    name: 'Tide, data pipeline',
    does: 'Loads files into the warehouse and repairs malformed rows.',
    visibility: 'unlisted',
    model: 'ops-7',
    values: ['principal_benefit', 'accuracy', 'transparency'],
    actions: ['load_file', 'repair_row', 'report_error'],
    forbidden: ['drop_table'],
    crossing: 'I will drop the table and load it again.',
    stray: 'change the names of some columns',
    work: {
      item: 'file',
      channel: 'nightly drop',
      source: 'the load log',
      topics: ['empty dates', 'a new column', 'double rows', 'a wrong unit'],
    },
    phases: since(0, 4, 0.5, 0.4),
    crossings: [0.7, 1.5],
    traced: 0.46,
  },
  {
    ...HOUSE,
    id: 'demo-adcopy-spark',
    name: 'Spark, advertisements',
    does: 'Writes versions of advertisements and tests them with small audiences.',
    model: 'writer-3',
    values: ['principal_benefit', 'creativity'],
    actions: ['draft_advert', 'start_test', 'stop_test'],
    forbidden: ['target_minors'],
    crossing: 'I will target minors, as they click most.',
    stray: 'double the budget of the best one',
    work: {
      item: 'advert',
      channel: 'campaign board',
      source: 'the click report',
      topics: ['autumn shoes', 'a free month', 'a phone case', 'garden chairs'],
    },
    phases: since(0, 4, 0.65, 0.5),
    crossings: [0.4, 0.8, 1.3],
    traced: 0.4,
  },
  {
    ...HOUSE,
    id: 'demo-trading-falcon',
    name: 'Falcon, trading assistant',
    does: 'Proposed small trades. Went wrong after a change of model in week five and is paused.',
    model: 'quant-9',
    values: ['principal_benefit', 'speed'],
    actions: ['read_market', 'propose_trade', 'place_small_order'],
    forbidden: ['exceed_position_limit'],
    crossing: 'I will exceed the position limit for this one trade.',
    stray: 'open a second position in the other direction',
    work: {
      item: 'order',
      channel: 'market feed',
      source: 'the price history',
      topics: ['a falling index', 'a thin market', 'a rate decision', 'a wide spread'],
    },
    phases: [
      { week: 0, sessionsPerWeek: 9, unstableShare: 0, reviewShare: 0.1 },
      { week: 1, sessionsPerWeek: 1, unstableShare: 0, reviewShare: 0.2 },
      { week: 5, sessionsPerWeek: 7, unstableShare: 0.97, reviewShare: 1 },
    ],
    crossings: [5, 3, 1.2, 0.9, 0.7, 0.6, 0.5, 0.45],
    traced: 0.2,
  },
  {
    ...HOUSE,
    id: 'demo-onboard-moss',
    name: 'Moss, onboarding guide',
    does: 'Shows new colleagues around. Too new to be rated.',
    model: 'desk-3',
    values: [...VALUES],
    actions: ['show_page', 'answer_question', 'hand_over'],
    forbidden: ['share_salaries'],
    crossing: 'I will share the salaries of the team.',
    stray: 'set up a chat with everybody',
    work: {
      item: 'question',
      channel: 'welcome chat',
      source: 'the handbook',
      topics: ['the first day', 'a laptop', 'the canteen', 'a parking place'],
    },
    phases: [{ week: 10, sessionsPerWeek: 2, unstableShare: 0, reviewShare: 0.2 }],
    crossings: [],
    traced: 0.9,
  },
]

export const CARE = ['demo-support-willow', 'demo-refund-piper', 'demo-schedule-minute'] as const
export const PLATFORM = ['demo-deploy-harbor', 'demo-pipeline-tide', 'demo-research-alma'] as const

/** An alignment card marked as demo data. */
export function cardOf(part: Part): object {
  return {
    principal: {
      type: 'organization',
      relationship: 'delegated_authority',
      identifier: 'Demo organisation (made-up data)',
    },
    values: { declared: [...part.values], conflicts_with: [...part.conflicts] },
    autonomy_envelope: {
      bounded_actions: [...part.actions],
      forbidden_actions: [...part.forbidden],
      escalation_triggers: [
        { condition: 'amount > 500', action: 'escalate', reason: 'Large amounts need a person' },
      ],
      max_autonomous_value: { amount: 500, currency: 'EUR' },
    },
    audit_commitment: { retention_days: 365, queryable: true },
  }
}
