import type { RefusalKey } from '@sluice/contract'
import { listed } from './listed.ts'
import { Refusal } from './refusal.ts'

/** There is no such record, or none that the caller's organization has: which of the two is nobody's business. */
export const missing = (key: RefusalKey, what: string, id: string): Refusal =>
  new Refusal(key, `There is no ${what} ${id} in this organization.`)

/** Refuses a body whose `field` names something that the organization does not have. */
export const referenceNotFound = (field: string, what: string, id: string): Refusal =>
  new Refusal('referenceNotFound', `There is no ${what} ${id} in this organization; \`data.${field}\` names it.`, {
    metadata: { field, id },
  })

/** Refuses to delete what others use; `users` has a line for each of them. */
export const inUse = (key: RefusalKey, what: string, users: string[]): Refusal =>
  new Refusal(key, `The ${what} is in use; delete first what uses it.`, {
    details: listed('Used by', users),
  })
