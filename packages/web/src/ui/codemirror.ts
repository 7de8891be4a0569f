import { autocompletion } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Annotation, EditorState, type Extension, type Text } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** A diagnostic for a line (1-based) or for a range of characters. */
export type CodeProblem = {
  message: string
  severity: 'error' | 'warning' | 'info'
  line?: number
  from?: number
  to?: number
}

export type MountedEditor = {
  setValue(value: string): void
  setProblems(problems: readonly CodeProblem[]): void
  destroy(): void
}

export type CodeOption = { label: string; insert: string; detail?: string }

/** The completions at a position, and the meaning of a word. */
export type CodeHelp = {
  complete(text: string, position: number): { from: number; options: CodeOption[] } | undefined
  describe(text: string, position: number): { from: number; to: number; text: string } | undefined
}

export type EditorOptions = {
  label: string
  help?: CodeHelp | undefined
  value: string
  readOnly: boolean
  onChange(value: string): void
}

/** JSON is a subset of YAML, so one language mode covers both. */
const COLOURS = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--info)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--accent)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--ink-faint)', fontStyle: 'italic' },
  {
    tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace],
    color: 'var(--ink-soft)',
  },
])

const LOOK = EditorView.theme({
  '&': { backgroundColor: 'var(--raised)', color: 'var(--ink)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: '"JetBrains Mono Variable", ui-monospace, monospace',
    lineHeight: '1.6',
  },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-faint)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-wash)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    fontFamily: '"Inter Variable", system-ui, sans-serif',
  },
  '.cm-help, .cm-tooltip.cm-completionInfo': {
    maxWidth: '22rem',
    padding: '6px 10px',
    fontSize: '0.8125rem',
    lineHeight: '1.4',
  },
  '.cm-tooltip-autocomplete ul li': { padding: '3px 10px !important' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent-wash) !important',
    color: 'var(--ink) !important',
  },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  '.cm-changedLine': { backgroundColor: 'var(--good-wash)' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--bad-wash)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-wash)', paddingLeft: '6px' },
  '.cm-changedText, .cm-insertedLine': { background: 'none', textDecoration: 'none' },
  '.cm-deletedChunk .cm-deletedText': { background: 'none', textDecoration: 'none' },
  '.cm-deletedChunk del, .cm-deletedLine del': { textDecoration: 'none' },
  '.cm-collapsedLines': {
    background: 'var(--sunken)',
    color: 'var(--ink-soft)',
    fontFamily: '"Inter Variable", system-ui, sans-serif',
  },
})

/** Marks a change that came from the `value` prop, so that it does not trigger `onChange`. */
const externalChange = Annotation.define<boolean>()

/** Mounts an editor in the element. Escape, then Tab moves the focus out of it. */
export function mountEditor(element: HTMLElement, options: EditorOptions): MountedEditor {
  /** Texts reported through `onChange` that have not yet come back as the value. */
  const pendingEchoes: string[] = []
  const view = new EditorView({
    doc: options.value,
    ...shadowRootOf(element),
    extensions: [
      ...commonExtensions(options.label),
      lineNumbers(),
      lintGutter(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      highlightSelectionMatches(),
      typeOverSelection(),
      ...(options.help === undefined ? [] : helpExtensions(options.help)),
      keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
      EditorState.readOnly.of(options.readOnly),
      EditorView.updateListener.of((update) => {
        const isExternal = update.transactions.some(
          (change) => change.annotation(externalChange) === true,
        )
        if (!update.docChanged || isExternal) return
        const text = update.state.doc.toString()
        pendingEchoes.push(text)
        options.onChange(text)
      }),
    ],
  })
  return {
    setValue(value) {
      // INVARIANT: an echoed value is older than the current text and must not overwrite it.
      const at = pendingEchoes.indexOf(value)
      pendingEchoes.splice(0, at === -1 ? pendingEchoes.length : at + 1)
      if (at !== -1 || value === view.state.doc.toString()) return
      const changes = { from: 0, to: view.state.doc.length, insert: value }
      view.dispatch({ changes, annotations: externalChange.of(true) })
    },
    setProblems(problems) {
      const found = problems.map((problem) => toDiagnostic(problem, view.state.doc))
      view.dispatch(setDiagnostics(view.state, found))
    },
    destroy: () => view.destroy(),
  }
}

/**
 * Chromium gives text that is typed over a selection the style of what it replaces, as an inline style,
 * which the Content-Security-Policy forbids and reports in the console. This replaces the text before.
 */
function typeOverSelection(): Extension {
  return EditorView.domEventHandlers({
    beforeinput({ inputType, data }, view) {
      const { readOnly, selection } = view.state
      if (inputType !== 'insertText' || data === null || readOnly || selection.main.empty)
        return false
      const change = view.state.replaceSelection(data)
      view.dispatch(change, { userEvent: 'input.type', scrollIntoView: true })
      return true
    },
  })
}

function helpExtensions(help: CodeHelp): Extension[] {
  return [
    autocompletion({
      icons: false,
      override: [
        ({ state, pos, explicit }) => {
          const found = help.complete(state.doc.toString(), pos)
          if (found === undefined || (!explicit && found.from === pos)) return null
          const options = found.options.map(({ label, insert, detail }) => ({
            label,
            apply: insert,
            ...(detail === undefined ? {} : { info: detail }),
          }))
          return { from: found.from, options, validFor: /^"?[\w.]*$/ }
        },
      ],
    }),
    hoverTooltip(({ state }, position) => {
      const found = help.describe(state.doc.toString(), position)
      if (found === undefined) return null
      return {
        pos: found.from,
        end: found.to,
        above: true,
        create: () => {
          const dom = document.createElement('div')
          dom.className = 'cm-help'
          dom.textContent = found.text
          return { dom }
        },
      }
    }),
  ]
}

type DiffOptions = { label: string; before: string; after: string }

/** Narrower elements show one column. */
const SIDE_BY_SIDE_PX_MIN = 720

const COLLAPSED = { margin: 3, minSize: 6 }

/** Mounts a diff with unchanged regions collapsed: side by side where there is room, else unified. */
export function mountDiff(element: HTMLElement, options: DiffOptions): () => void {
  return element.clientWidth < SIDE_BY_SIDE_PX_MIN
    ? mountUnifiedDiff(element, options)
    : mountTwoColumns(element, options)
}

function mountTwoColumns(element: HTMLElement, { label, before, after }: DiffOptions): () => void {
  const column = (name: string) => [
    ...commonExtensions(`${label}, ${name}`),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ tabindex: '0' }),
  ]
  const view = new MergeView({
    ...shadowRootOf(element),
    a: { doc: before, extensions: column('before') },
    b: { doc: after, extensions: column('after') },
    highlightChanges: false,
    gutter: false,
    collapseUnchanged: COLLAPSED,
  })
  return () => view.destroy()
}

/** Removed lines above added lines. */
function mountUnifiedDiff(element: HTMLElement, { label, before, after }: DiffOptions): () => void {
  const view = new EditorView({
    doc: after,
    ...shadowRootOf(element),
    extensions: [
      ...commonExtensions(label),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ tabindex: '0' }),
      unifiedMergeView({
        original: before,
        mergeControls: false,
        highlightChanges: false,
        collapseUnchanged: COLLAPSED,
      }),
    ],
  })
  return () => view.destroy()
}

function commonExtensions(label: string): Extension[] {
  return [
    yaml(),
    syntaxHighlighting(COLOURS),
    LOOK,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
  ]
}

/**
 * In a shadow root CodeMirror uses a constructable style sheet. In the page itself it would insert
 * a style element, which the Content-Security-Policy forbids.
 */
function shadowRootOf(element: HTMLElement): { parent: ShadowRoot; root: ShadowRoot } {
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
  return { parent: root, root }
}

function toDiagnostic(problem: CodeProblem, doc: Text): Diagnostic {
  const { message, severity } = problem
  if (problem.from !== undefined) {
    const from = Math.min(problem.from, doc.length)
    return { message, severity, from, to: Math.min(problem.to ?? from, doc.length) }
  }
  const line = doc.line(Math.min(Math.max(problem.line ?? 1, 1), doc.lines))
  return { message, severity, from: line.from, to: line.to }
}
