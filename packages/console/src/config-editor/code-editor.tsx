import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { completionsAt, type Schema } from './completion.ts'
import type { Problem } from './config-text.ts'
import { editorTheme } from './editor-theme.ts'

type Props = {
  /** Initial text. */
  text: string
  label: string
  isReadOnly: boolean
  faults: readonly Problem[]
  schema: Schema | undefined
  onChange: (text: string) => void
}

/** Edits a configuration. Tab indents; Escape and then Tab leaves the editor. */
export const CodeEditor = ({ text, label, isReadOnly, faults, schema, onChange }: Props) => {
  const container = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  // The editor is created once, so callbacks read the latest props.
  const latest = useRef({ schema, onChange })
  latest.current = { schema, onChange }

  useEffect(() => {
    if (!container.current) return undefined
    const complete = (context: CompletionContext) => offered(latest.current.schema, context)
    const editor = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          foldGutter(),
          lintGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          autocompletion({ override: [complete] }),
          keymap.of([
            ...completionKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            ...searchKeymap,
            ...foldKeymap,
            ...lintKeymap,
            indentWithTab,
          ]),
          yaml(),
          editorTheme,
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorState.readOnly.of(isReadOnly),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) latest.current.onChange(state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [label, isReadOnly])

  useEffect(() => {
    const { current: editor } = view
    if (!editor) return
    const { length } = editor.state.doc
    const placed = faults.map(({ from, to, message }) => ({
      from: Math.min(from, length),
      to: Math.min(to, length),
      severity: 'error' as const,
      message,
    }))
    editor.dispatch(setDiagnostics(editor.state, placed))
  }, [faults])

  return <div ref={container} />
}

function offered(schema: Schema | undefined, { state, pos, explicit }: CompletionContext): CompletionResult | null {
  if (!schema) return null
  const completion = completionsAt(schema, state.doc.toString(), pos)
  // Without an explicit request, completes only words that were started.
  if (!completion || (!explicit && completion.from === pos)) return null
  const options = completion.options.map(({ isRequired, ...option }) => ({ ...option, boost: isRequired ? 1 : 0 }))
  return { from: completion.from, options, validFor: /^[\w:/-]*$/ }
}
