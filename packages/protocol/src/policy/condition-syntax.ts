/**
 * The condition language of a policy's escalation triggers, from text to tree. It is read once from
 * left to right; only parentheses nest, up to a limit, so the cost is linear in the length of a
 * condition, however long or deep.
 */

const CHARACTERS_MAX = 500
const NESTING_MAX = 20

const OPERATORS = ['==', '!=', '>', '>=', '<', '<=', 'contains', 'matches'] as const
export type Operator = (typeof OPERATORS)[number]

export type Operand =
  | { kind: 'name'; name: string }
  | { kind: 'literal'; value: string | number | boolean }

export type Expression =
  | { kind: 'or' | 'and'; parts: readonly Expression[] }
  | { kind: 'not'; part: Expression }
  | { kind: 'tool_matches'; pattern: string }
  | { kind: 'comparison'; left: Operand; operator: Operator; right: Operand }
  | { kind: 'bare'; operand: Operand }

/** Describes a fault in a condition to its author. */
export class ConditionFault extends Error {}

// Sticky, and each alternative is decided by its first character, so there is no backtracking.
const TOKEN =
  /\s*(?:(?<word>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_-]+)*)|(?<number>-?[0-9]+(?:\.[0-9]+)?)|(?<text>'(?:[^'\\]|\\[\\'"])*'|"(?:[^"\\]|\\[\\'"])*")|(?<sign>[=!<>]=|[<>()]))/y
const SPACES = /\s*$/y

/** A literal, or a word or sign verbatim. */
type Token = { kind: 'literal'; value: string | number } | { kind: 'symbol'; symbol: string }

const RESERVED: ReadonlySet<string> = new Set([
  'or',
  'and',
  'not',
  'true',
  'false',
  'tool_matches',
  '(',
  ')',
  ...OPERATORS,
])

/** Throws a ConditionFault. */
export function parseExpression(text: string): Expression {
  const tokens = tokenise(text)
  const reader = createReader(tokens)
  const expression = readOr(reader, 0)
  if (reader.next() !== undefined) throw new ConditionFault('has unexpected text after its end')
  return expression
}

/** Conditions that differ only in the white space between words have the same key. */
export function conditionKey(text: string): string {
  return text
    .replace(
      /('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|\s+/gs,
      (_all, quoted?: string) => quoted ?? ' ',
    )
    .trim()
}

function tokenise(text: string): Token[] {
  if ([...text].length > CHARACTERS_MAX) {
    throw new ConditionFault(`must have at most ${CHARACTERS_MAX} characters`)
  }
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    SPACES.lastIndex = at
    if (SPACES.test(text)) return tokens
    TOKEN.lastIndex = at
    const groups = TOKEN.exec(text)?.groups
    if (groups === undefined) {
      throw new ConditionFault(`has a syntax error at "${text.slice(at).trim().slice(0, 20)}"`)
    }
    tokens.push(toToken(groups))
    at = TOKEN.lastIndex
  }
}

function toToken({ word, number, text, sign }: Record<string, string | undefined>): Token {
  if (number !== undefined) return { kind: 'literal', value: Number(number) }
  if (text !== undefined) {
    return { kind: 'literal', value: text.slice(1, -1).replace(/\\(.)/g, '$1') }
  }
  return { kind: 'symbol', symbol: word ?? sign ?? '' }
}

function createReader(tokens: readonly Token[]) {
  let at = 0
  return {
    next: (): Token | undefined => tokens[at++],
    /** Consumes the next word or sign if it is one of these; literals never match. */
    take<Symbol extends string>(symbols: readonly Symbol[]): Symbol | undefined {
      const token = tokens[at]
      if (token?.kind !== 'symbol') return undefined
      const found = symbols.find((symbol) => symbol === token.symbol)
      if (found !== undefined) at++
      return found
    },
  }
}
type Reader = ReturnType<typeof createReader>

function readOr(reader: Reader, depth: number): Expression {
  const parts = [readAnd(reader, depth)]
  while (reader.take(['or']) !== undefined) parts.push(readAnd(reader, depth))
  return joined('or', parts)
}

function readAnd(reader: Reader, depth: number): Expression {
  const parts = [readNot(reader, depth)]
  while (reader.take(['and']) !== undefined) parts.push(readNot(reader, depth))
  return joined('and', parts)
}

function joined(kind: 'or' | 'and', parts: readonly Expression[]): Expression {
  const [only] = parts
  return only !== undefined && parts.length === 1 ? only : { kind, parts }
}

/** Repeated `not` is counted rather than nested, because two of them cancel out. */
function readNot(reader: Reader, depth: number): Expression {
  let negated = false
  while (reader.take(['not']) !== undefined) negated = !negated
  const part = readPrimary(reader, depth)
  return negated ? { kind: 'not', part } : part
}

function readPrimary(reader: Reader, depth: number): Expression {
  if (reader.take(['(']) !== undefined) {
    if (depth === NESTING_MAX)
      throw new ConditionFault(`must nest at most ${NESTING_MAX} parentheses`)
    const expression = readOr(reader, depth + 1)
    if (reader.take([')']) === undefined)
      throw new ConditionFault('is missing a closing parenthesis')
    return expression
  }
  if (reader.take(['tool_matches']) !== undefined) return readToolMatches(reader)
  const left = readOperand(reader)
  const operator = reader.take(OPERATORS)
  if (operator === undefined) return { kind: 'bare', operand: left }
  return { kind: 'comparison', left, operator, right: readOperand(reader) }
}

function readToolMatches(reader: Reader): Expression {
  const open = reader.take(['('])
  const argument = reader.next()
  const close = reader.take([')'])
  if (open === undefined || close === undefined || argument?.kind !== 'literal') {
    throw new ConditionFault("must use the form tool_matches('pattern')")
  }
  if (typeof argument.value !== 'string') {
    throw new ConditionFault('must have a quoted pattern in tool_matches')
  }
  return { kind: 'tool_matches', pattern: argument.value }
}

function readOperand(reader: Reader): Operand {
  const named = reader.take(['true', 'false'])
  if (named !== undefined) return { kind: 'literal', value: named === 'true' }
  const token = reader.next()
  if (token === undefined) throw new ConditionFault('ends unexpectedly')
  if (token.kind === 'literal') return token
  if (RESERVED.has(token.symbol)) throw new ConditionFault(`has an unexpected "${token.symbol}"`)
  return { kind: 'name', name: token.symbol }
}
