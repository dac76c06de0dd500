import { secretForms } from '@sluice/contract/secret-forms'

/** What stands where a secret stood. */
const mark = '***'

/** So many secrets that overlap one another are no text, but one such as `aaaa` over and over: any cut is as good. */
const maxOverlaps = 64

/** Keeps secrets out of what a step writes: as they are, line by line, and in the usual encodings. */
export class Mask {
  /** The longest first: one may be part of another. */
  #secrets: { text: string; bytes: Buffer }[] = []
  readonly #added = new Set<string>()

  add(secret: string): void {
    this.#added.add(secret)
    const texts = new Set([...this.#secrets.map(({ text }) => text), ...secretForms(secret)])
    this.#secrets = [...texts]
      .map((text) => ({ text, bytes: Buffer.from(text) }))
      .sort((one, other) => other.bytes.length - one.bytes.length)
  }

  /** As they were added, short ones too. */
  get secrets(): string[] {
    return [...this.#added]
  }

  /** How many bytes must follow a place for it to be known that no secret begins before and ends after it. */
  get longest(): number {
    return this.#secrets[0]?.bytes.length ?? 0
  }

  hide(text: string): string {
    return this.#secrets.reduce((hidden, secret) => hidden.replaceAll(secret.text, mark), text)
  }

  /** The value with its texts hidden in, the names of members too. */
  hideIn<T>(value: T): T {
    return this.#secrets.length === 0 ? value : (this.#hidden(value) as T)
  }

  #hidden(value: unknown): unknown {
    if (typeof value === 'string') return this.hide(value)
    if (Array.isArray(value)) return value.map((item) => this.#hidden(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.hide(name), this.#hidden(item)]))
  }

  /** Where a secret begins that a cut at `end` would cut; 0 where none does, or where one begins the bytes. */
  #beginAcross(bytes: Buffer, end: number): number {
    for (const secret of this.#secrets) {
      const from = bytes.indexOf(secret.bytes, Math.max(0, end - secret.bytes.length + 1))
      if (from > 0 && from < end) return from
    }
    return 0
  }

  /** A place at or before `end` where the bytes can be cut in two without cutting a secret. */
  cutBefore(bytes: Buffer, end: number): number {
    let cut = end
    for (let overlapCount = 0; overlapCount < maxOverlaps; overlapCount += 1) {
      const begin = this.#beginAcross(bytes, cut)
      if (begin === 0) return cut
      cut = begin
    }
    return end
  }
}
