/** A source that cannot be had, or must not be used. */
export class SourceTrouble extends Error {
  override readonly name = 'SourceTrouble'
  /** What the program that fetches said. */
  readonly said: string | undefined
  constructor(message: string, said?: string) {
    super(message)
    this.said = said
  }
}
