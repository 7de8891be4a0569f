import { classNames } from './class-names.ts'

export type Grade = 'AAA' | 'AA' | 'A' | 'BBB' | 'BB' | 'B' | 'CCC' | 'NR'

export const GRADES_IN_ORDER: Grade[] = ['AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'CCC', 'NR']

/** The colour of a grade, in either theme. */
export function gradeColour(grade: string): string {
  return `var(--grade-${grade.toLowerCase()})`
}

export function GradeMark({ grade, size = 'small' }: { grade: Grade; size?: 'small' | 'large' }) {
  return (
    <span
      style={{ color: gradeColour(grade), borderColor: gradeColour(grade) }}
      className={classNames(
        'inline-flex items-center justify-center rounded border bg-surface font-mono font-semibold',
        size === 'large' ? 'min-w-14 px-2 py-0.5 text-lg' : 'min-w-10 px-1.5 text-xs leading-5',
      )}
    >
      <span className="sr-only">Grade </span>
      {grade}
    </span>
  )
}
