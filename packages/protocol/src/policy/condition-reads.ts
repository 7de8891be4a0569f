import {
  ConditionFault,
  type Expression,
  type Operand,
  parseExpression,
} from './condition-syntax.ts'

/**
 * The names that a condition refers to, such as `tool` or `args.amount`, in their order and once each.
 * Empty for a text that is not a condition.
 */
export function namesInCondition(text: string): string[] {
  try {
    return [...new Set(namesIn(parseExpression(text)))]
  } catch (err) {
    if (err instanceof ConditionFault) return []
    throw err
  }
}

function namesIn(expression: Expression): string[] {
  switch (expression.kind) {
    case 'or':
    case 'and':
      return expression.parts.flatMap(namesIn)
    case 'not':
      return namesIn(expression.part)
    case 'tool_matches':
      return ['tool']
    case 'comparison':
      return [...nameOf(expression.left), ...nameOf(expression.right)]
    case 'bare':
      return nameOf(expression.operand)
  }
}

function nameOf(operand: Operand): string[] {
  return operand.kind === 'name' ? [operand.name] : []
}
