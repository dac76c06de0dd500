/** An error in the catalogue: its code on the wire and what it means. */
export interface ErrorEntry {
  readonly code: `Sluice:${string}:${string}`
  readonly title: string
}

/** An error that answers a request, with the HTTP status it has. */
export interface RefusalEntry extends ErrorEntry {
  readonly status: number
}
