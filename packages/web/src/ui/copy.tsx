import { useState } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { CheckIcon, CopyIcon } from './icons.tsx'

const SHOWN_MS = 1500

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const { state, copy } = useCopying(text)
  return (
    <Button onClick={() => void copy()}>
      {state === 'copied' ? <CheckIcon /> : <CopyIcon />}
      <span aria-live="polite">{copyLabel(state, label)}</span>
    </Button>
  )
}

/** A small button beside an id in a text. */
export function CopyIdButton({ id }: { id: string }) {
  const { state, copy } = useCopying(id)
  return (
    <button
      type="button"
      title={copyLabel(state, 'Copy ID')}
      onClick={() => void copy()}
      className="ml-1.5 inline-grid size-6 cursor-pointer place-items-center rounded align-[-0.375rem] text-ink-faint hover:bg-sunken hover:text-ink print:hidden"
    >
      {state === 'copied' ? <CheckIcon /> : <CopyIcon />}
      <span className="sr-only" aria-live="polite">
        {copyLabel(state, 'Copy ID')}
      </span>
    </button>
  )
}

function useCopying(text: string) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  const copy = async () => {
    setState(await navigator.clipboard.writeText(text).then(copied, refused))
    setTimeout(() => setState('idle'), SHOWN_MS)
  }
  return { state, copy }
}

const copied = () => 'copied' as const
const refused = () => 'refused' as const

function copyLabel(state: 'idle' | 'copied' | 'refused', label: string): string {
  if (state === 'copied') return 'Copied'
  return state === 'refused' ? 'Copy failed. Select the text instead' : label
}

const PRE = 'overflow-x-auto p-3 font-mono text-[0.8125rem] leading-relaxed'
const WRAPPED = '[overflow-wrap:anywhere] whitespace-pre-wrap'

export type CodeBlockProps = {
  code: string
  label: string
  /** Wraps long lines, if the reader must not miss any part of them. */
  wrap?: boolean
}

/** Preformatted text with a copy button. */
export function CodeBlock({ code, label, wrap = false }: CodeBlockProps) {
  return (
    <div className="min-w-0 rounded-md border border-line bg-sunken">
      <div className="flex items-center justify-between gap-3 border-b border-line py-1 pr-1 pl-3">
        <span className="text-xs text-ink-soft">{label}</span>
        <CopyButton text={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0} className={classNames(PRE, wrap && WRAPPED)}>
        {code}
      </pre>
    </div>
  )
}
