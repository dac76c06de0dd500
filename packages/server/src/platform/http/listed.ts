import type { ErrorDetail } from '@sluice/contract'

/** A list of lines among the details of an error; without lines, no list. */
export const listed = (title: string, items: readonly string[]): ErrorDetail[] =>
  items.length === 0 ? [] : [{ title, render: 'list', items: [...items] }]
