import { type PolicyDocument, type PolicyRules, validatePolicy } from '@touchstone/protocol/policy'
import { type Document, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml'
import type { CodeProblem } from '../../ui/codemirror.ts'
import type { Owner } from './owner.ts'

/** A problem with its position in the text and its JSON pointer in the document. */
export type DraftProblem = CodeProblem & { path: string; line: number; from: number; to: number }

export type DraftCheck = {
  problems: readonly DraftProblem[]
  /** The normalised policy; undefined if the draft has errors. */
  policy: PolicyDocument | undefined
}

type Span = { from: number; to: number }

/**
 * Validates a draft on every keystroke, with the same rules as the service. The service validates
 * again on save.
 */
export function checkDraft(
  text: string,
  context: { kind: Owner['kind']; org?: PolicyRules | undefined },
): DraftCheck {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    strict: true,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const faults = [...yamlProblems(document)]
  if (faults.length > 0) {
    const problems = faults.map(({ message, ...span }) => toDraftProblem(text, { message, span }))
    return { problems, policy: undefined }
  }
  const outcome = validatePolicy(document.toJS(), { scope: context.kind, org: context.org })
  const toProblem =
    (severity: 'error' | 'warning') => (finding: { path: string; message: string }) =>
      toDraftProblem(text, { ...finding, severity, span: spanOf(document, finding.path) })
  return {
    problems: [
      ...outcome.errors.map(toProblem('error')),
      ...outcome.warnings.map(toProblem('warning')),
    ].sort((a, b) => a.line - b.line),
    policy: outcome.valid ? outcome.policy : undefined,
  }
}

function toDraftProblem(
  text: string,
  found: { message: string; path?: string; severity?: 'error' | 'warning'; span: Span },
): DraftProblem {
  const { message, path = '', severity = 'error', span } = found
  return { message, path, severity, ...span, line: text.slice(0, span.from).split('\n').length }
}

/**
 * YAML the service rejects: syntax errors, and the anchors and aliases that allow expansion
 * attacks.
 */
function* yamlProblems(document: Document.Parsed): Generator<Span & { message: string }> {
  for (const { message, pos } of [...document.errors, ...document.warnings]) {
    yield { message, from: pos[0], to: pos[1] }
  }
  const rejected: (Span & { message: string })[] = []
  visit(document, {
    Alias: (_, node) =>
      void rejected.push({ message: 'Aliases are not accepted.', ...rangeOf(node) }),
    Node: (_, node) => {
      if ('anchor' in node && node.anchor !== undefined) {
        rejected.push({ message: 'Anchors are not accepted.', ...rangeOf(node) })
      }
    },
  })
  yield* rejected
}

/** The range of a JSON pointer's target, or of its closest existing parent. */
function spanOf(document: Document.Parsed, path: string): Span {
  let node: unknown = document.contents
  let span: Span = { from: 0, to: 0 }
  for (const part of path.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name)
      if (pair === undefined) return span
      span = rangeOf(isScalar(pair.value) ? pair.value : pair.key)
      node = pair.value
    } else if (isSeq(node)) {
      const item = node.items[Number(name)]
      if (item === undefined) return span
      span = firstCharacters(rangeOf(item))
      node = item
    } else {
      return span
    }
  }
  return span
}

function rangeOf(node: unknown): Span {
  const range =
    typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
      ? node.range
      : [0, 0]
  return { from: Number(range[0]), to: Number(range[1]) }
}

/** Limits the range of a list item, which may be long, to its first characters. */
function firstCharacters({ from, to }: Span): Span {
  return { from, to: Math.min(to, from + 40) }
}
