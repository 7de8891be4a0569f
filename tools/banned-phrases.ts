/**
 * Home-made phrases for things that have an ordinary name, each with the term to use instead.
 *
 * Add a phrase when you replace one that a reader stumbled over. Never add a single everyday word:
 * an entry must be wrong wherever it occurs. Matching ignores case and line breaks.
 */
export const BANNED_PHRASES: Readonly<Record<string, string>> = {
  'asked anew': 'requested again, retried',
  'asked before': 'pending approval, approval queue',
  'asks anew': 'requests again, retries',
  'at one go': 'in one batch, in one transaction',
  'by and by': 'gradually, in batches',
  'for want of': 'because there is no, without',
  'goes without': 'is omitted, has no',
  'hot way': 'hot path',
  'in one go': 'in one batch, in one transaction, at once',
  'is another than': 'differs from',
  'is given up': 'is abandoned, fails, is dead-lettered',
  'is no field of': 'unknown field',
  'is no longer good': 'has expired, was revoked',
  'is told so': 'receives an error, is notified',
  'keeps none of the others': 'does not stop the others',
  'look anew': 'reload, refresh',
  'looked anew': 'reloaded, refreshed',
  'looks anew': 'reloads, refreshes',
  'may only look': 'is read-only',
  'no other than': 'only, the same',
  'of its own accord': 'automatically',
  'of one piece': 'atomic, consistent',
  'once it is through': 'after commit',
  'sign aside': 'sign on the worker thread',
  'signed aside': 'signed on the worker thread',
  'stands in the way of': 'blocks, prevents',
  'told together': 'sent in one batch',
  'waits in a ring': 'deadlocks',
  'were given up': 'were abandoned, failed',
  'what was read lately': 'cached',
  'who asks': 'the caller, the client',
  'whoever asks': 'the caller, any client',
}
