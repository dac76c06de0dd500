import type { RefusalKey } from '@sluice/contract'
import { listed } from './listed.ts'
import { Refusal } from './refusal.ts'

/** Creates the error for an unknown record. Does not reveal whether the record exists in another organization. */
export const missing = (key: RefusalKey, what: string, id: string): Refusal =>
  new Refusal(key, `There is no ${what} ${id} in this organization.`)

/** Creates the error for a body whose `field` refers to a record that the organization does not have. */
export const referenceNotFound = (field: string, what: string, id: string): Refusal =>
  new Refusal('referenceNotFound', `There is no ${what} ${id} in this organization; \`data.${field}\` names it.`, {
    metadata: { field, id },
  })

/** Creates the error for deleting a record with dependents; `users` has a line for each dependent. */
export const inUse = (key: RefusalKey, what: string, users: string[]): Refusal =>
  new Refusal(key, `The ${what} is in use; delete first what uses it.`, {
    details: listed('Used by', users),
  })
