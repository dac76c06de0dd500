import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** A theme color with a contrast of at least 4.5 to 1 in both color schemes. */
const themeColor = (name: string) => `light-dark(var(--mantine-color-${name}-9), var(--mantine-color-${name}-2))`

const editorFrame = EditorView.theme({
  '&': {
    fontSize: '13px',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-md)',
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    overflow: 'hidden',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', maxHeight: '65vh', minHeight: '240px' },
  '.cm-gutters': {
    backgroundColor: 'light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'light-dark(rgba(0, 0, 0, 0.04), rgba(255, 255, 255, 0.05))',
  },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(var(--mantine-color-water-1), var(--mantine-color-water-9))',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--mantine-color-default)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-sm)',
  },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '360px', padding: '6px 10px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: 'white',
  },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', maxWidth: '560px' },
  '.cm-foldPlaceholder, .cm-collapsedLines': {
    background: 'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-5))',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-deletedChunk, &.cm-merge-a .cm-changedLine': { backgroundColor: 'rgba(224, 49, 49, 0.14)' },
  // The package underlines every changed word with higher specificity than a theme.
  '.cm-changedText': { background: 'rgba(18, 184, 134, 0.14) !important' },
  '.cm-deletedText': { background: 'rgba(224, 49, 49, 0.14) !important' },
  '.cm-insertedLine, &.cm-merge-b .cm-changedLine, .cm-changedLine': { backgroundColor: 'rgba(18, 184, 134, 0.14)' },
})

const syntaxColors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: themeColor('water') },
  { tag: [tags.string, tags.content], color: 'var(--mantine-color-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: themeColor('grape') },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.meta], color: 'var(--mantine-color-dimmed)' },
])

/** Editor theme with syntax colors for light and dark mode. */
export const editorTheme = [editorFrame, syntaxHighlighting(syntaxColors)]
