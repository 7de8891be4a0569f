import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { classNames } from './class-names.ts'
import type { CodeHelp, CodeProblem, MountedEditor } from './codemirror.ts'
import { ErrorState } from './states.tsx'

export type EditorProps = {
  /** Accessible name of the editor. */
  label: string
  value: string
  onChange?: (value: string) => void
  /** Shown in the gutter beside their lines. */
  problems?: readonly CodeProblem[]
  readOnly?: boolean
  /** Completes and explains what is typed. */
  help?: CodeHelp
  className?: string
}

const NONE: readonly CodeProblem[] = []

/**
 * A YAML and JSON editor. CodeMirror is loaded with the first editor, after the page; until then the text is there to
 * read, in the size that it will have.
 */
export function Editor(props: EditorProps) {
  const { label, value, onChange, problems, readOnly, help, className } = props
  const element = useRef<HTMLDivElement>(null)
  const latest = useRef({ value, onChange })
  const [editor, setEditor] = useState<MountedEditor>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    latest.current = { value, onChange }
  })
  useEffect(() => {
    let mounted: MountedEditor | undefined
    let isUnmounted = false
    import('./codemirror.ts').then(({ mountEditor }) => {
      if (isUnmounted || element.current === null) return
      mounted = mountEditor(element.current, {
        label,
        value: latest.current.value,
        readOnly: readOnly === true,
        help,
        onChange: (next) => latest.current.onChange?.(next),
      })
      // Replaces the text before anything is painted, so that nothing moves.
      flushSync(() => setEditor(mounted))
    }, setError)
    return () => {
      isUnmounted = true
      mounted?.destroy()
      setEditor(undefined)
    }
  }, [label, readOnly, help])
  useEffect(() => editor?.setValue(value), [editor, value])
  useEffect(() => editor?.setProblems(problems ?? NONE), [editor, problems])
  return (
    <div
      className={classNames(
        'min-w-0 overflow-auto rounded-md border border-line-strong bg-raised',
        className ?? 'max-h-[36rem] min-h-48',
      )}
    >
      {editor === undefined ? (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
          tabIndex={0}
          aria-busy={error === undefined}
          className="py-2 pr-0.5 pl-12 font-mono text-[0.8125rem] leading-[1.6] whitespace-pre-wrap"
        >
          {value}
        </pre>
      ) : null}
      {error === undefined ? null : <ErrorState error={error} />}
      <div ref={element} />
    </div>
  )
}
