import type { ErrorDetail } from '@sluice/contract'

/** Returns an error detail with the lines as a list, or no detail if there are no lines. */
export const listed = (title: string, items: readonly string[]): ErrorDetail[] =>
  items.length === 0 ? [] : [{ title, render: 'list', items: [...items] }]
