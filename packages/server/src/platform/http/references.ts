import type { RefusalKey } from '@sluice/contract'
import { Refusal } from './refusal.ts'

/** Refuses a body whose `field` names something that the organization does not have. */
export const referenceNotFound = (field: string, what: string, id: string): Refusal =>
  new Refusal('referenceNotFound', `There is no ${what} ${id} in this organization; \`data.${field}\` names it.`, {
    metadata: { field, id },
  })

/** Refuses to delete what others use; `users` has a line for each of them. */
export const inUse = (key: RefusalKey, what: string, users: string[]): Refusal =>
  new Refusal(key, `The ${what} is in use; delete first what uses it.`, {
    details: [{ title: 'Used by', render: 'list', items: users }],
  })
