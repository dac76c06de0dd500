/** A source that cannot be fetched or must not be used. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  /** Output of the program that fetches. */
  readonly output: string | undefined
  constructor(message: string, said?: string) {
    super(message)
    this.output = said
  }
}
