import { secretForms } from '@sluice/contract/secret-forms'

/** What stands where a secret stood. */
const mark = '***'

/** So many secrets that overlap one another are no text, but one such as `aaaa` over and over: any cut is as good. */
const maxOverlaps = 64

/** A text that is hidden, and the text in its place. */
type Hidden = { text: string; bytes: Buffer; replacement: string }

/**
 * Keeps secrets out of what a step writes: as they are, line by line, and in the usual encodings. Also keeps out where
 * the folders of the attempt are on the machine of the runner.
 */
export class Mask {
  /** The longest first: one may be part of another. */
  #hidden: Hidden[] = []
  readonly #added = new Set<string>()

  add(secret: string): void {
    this.#added.add(secret)
    this.#hide(secretForms(secret), mark)
  }

  /** Hides where a folder is: paths in it become relative to it. */
  addFolder(folder: string): void {
    this.#hide([`${folder}/`], '')
    this.#hide([folder], '.')
  }

  #hide(texts: readonly string[], replacement: string): void {
    const known = new Set(this.#hidden.map(({ text }) => text))
    const added = texts
      .filter((text) => !known.has(text))
      .map((text) => ({ text, bytes: Buffer.from(text), replacement }))
    this.#hidden = [...this.#hidden, ...added].sort((one, other) => other.bytes.length - one.bytes.length)
  }

  /** As they were added, short ones too. */
  get secrets(): string[] {
    return [...this.#added]
  }

  /** How many bytes must follow a place for it to be known that no secret begins before and ends after it. */
  get longest(): number {
    return this.#hidden[0]?.bytes.length ?? 0
  }

  hide(line: string): string {
    return this.#hidden.reduce((shown, { text, replacement }) => shown.replaceAll(text, () => replacement), line)
  }

  /** The value with its texts hidden in, the names of members too. */
  hideIn<T>(value: T): T {
    return this.#hidden.length === 0 ? value : (this.#shown(value) as T)
  }

  #shown(value: unknown): unknown {
    if (typeof value === 'string') return this.hide(value)
    if (Array.isArray(value)) return value.map((item) => this.#shown(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.hide(name), this.#shown(item)]))
  }

  /** Where a secret begins that a cut at `end` would cut; 0 where none does, or where one begins the bytes. */
  #beginAcross(bytes: Buffer, end: number): number {
    for (const hidden of this.#hidden) {
      const from = bytes.indexOf(hidden.bytes, Math.max(0, end - hidden.bytes.length + 1))
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
