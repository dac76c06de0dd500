import type { ApiErrorKey } from '@sluice/contract'
import { ApiError } from './api-error.ts'
import { listed } from './listed.ts'

/** Creates the error for an unknown record. Does not reveal whether the record exists in another organization. */
export const missing = (key: ApiErrorKey, what: string, id: string): ApiError =>
  new ApiError(key, `There is no ${what} ${id} in this organization.`)

/** Creates the error for a body whose `field` refers to a record that the organization does not have. */
export const referenceNotFound = (field: string, what: string, id: string): ApiError =>
  new ApiError('referenceNotFound', `There is no ${what} ${id} in this organization; \`data.${field}\` names it.`, {
    metadata: { field, id },
  })

/** Creates the error for deleting a record with dependents; `users` has a line for each dependent. */
export const inUse = (key: ApiErrorKey, what: string, users: string[]): ApiError =>
  new ApiError(key, `The ${what} is in use; delete first what uses it.`, {
    details: listed('Used by', users),
  })
