/** Error in the catalogue: its code and its meaning. */
export interface ErrorEntry {
  readonly code: `Sluice:${string}:${string}`
  readonly title: string
}

/** Error returned by a request, with its HTTP status. */
export interface ApiErrorEntry extends ErrorEntry {
  readonly status: number
}
