import { yaml } from '@codemirror/lang-yaml'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { editorTheme } from './editor-theme.ts'

/** Shows two texts as one diff and collapses long unchanged parts. */
export const TextDiff = ({ before, after }: { before: string; after: string }) => {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!container.current) return undefined
    const view = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: after,
        extensions: [
          lineNumbers(),
          yaml(),
          editorTheme,
          unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': 'Differences', tabindex: '0' }),
        ],
      }),
    })
    return () => view.destroy()
  }, [before, after])
  return <div ref={container} />
}
