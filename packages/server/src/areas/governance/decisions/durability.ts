/** Whether a decision is committed before it is answered (spec: decisions §2). */
export const DECISION_DURABILITIES = ['before_answer', 'after_answer'] as const
export type DecisionDurability = (typeof DECISION_DURABILITIES)[number]
