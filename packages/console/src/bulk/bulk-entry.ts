/** What a bulk action does to one record. */
export type BulkEntry = {
  id: string
  name: string
  /** What happens, as a sentence; or why nothing can happen. */
  text: string
  /** Undefined if the action is not possible. Returns the deployment that shows the result, if there is one. */
  run?: (() => Promise<{ deploymentId?: string }>) | undefined
}

/** Maximum number of records in one bulk action. A user could not review more. */
export const maxEntries = 50

/** Maximum number of operations in progress, so that a bulk action leaves requests to others. */
export const maxConcurrentOperations = 4

/** Returns a count of services in words. */
export const countOf = (count: number): string => `${count} ${count === 1 ? 'service' : 'services'}`
