import { secretForms } from '@sluice/contract/secret-forms'

/** Replacement of a secret. */
const replacementText = '***'

/** Number of overlapping secrets above which the text is one such as `aaaa` repeated, where no safe split exists. */
const maxOverlaps = 64

/** A text to mask and its replacement. */
type MaskedText = { text: string; bytes: Buffer; replacement: string }

/**
 * Masks secrets in everything that a step writes: as they are, line by line, and in common encodings. Also masks the
 * paths of the attempt's folders.
 */
export class Mask {
  /** The longest first, because one may contain another. */
  #hidden: MaskedText[] = []
  readonly #added = new Set<string>()

  add(secret: string): void {
    this.#added.add(secret)
    this.#hide(secretForms(secret), replacementText)
  }

  /** Masks the path of a folder. Paths in it become relative to it. */
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

  /** Returns the secrets, including those that are too short to mask. */
  get secrets(): string[] {
    return [...this.#added]
  }

  /** Returns the length of the longest secret: so many bytes must follow a position to know that no secret spans it. */
  get maxSecretBytes(): number {
    return this.#hidden[0]?.bytes.length ?? 0
  }

  hide(line: string): string {
    return this.#hidden.reduce((shown, { text, replacement }) => shown.replaceAll(text, () => replacement), line)
  }

  /** Masks all texts in a value, including the names of members. */
  hideInValue<T>(value: T): T {
    return this.#hidden.length === 0 ? value : (this.#maskValue(value) as T)
  }

  #maskValue(value: unknown): unknown {
    if (typeof value === 'string') return this.hide(value)
    if (Array.isArray(value)) return value.map((item) => this.#maskValue(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.hide(name), this.#maskValue(item)]))
  }

  /** Returns the start of a secret that spans `end`; 0 if there is none or it starts the bytes. */
  #findSecretAcross(bytes: Buffer, end: number): number {
    for (const hidden of this.#hidden) {
      const from = bytes.indexOf(hidden.bytes, Math.max(0, end - hidden.bytes.length + 1))
      if (from > 0 && from < end) return from
    }
    return 0
  }

  /** Returns the last position up to `end` at which a split does not cut a secret. */
  findSafeCut(bytes: Buffer, end: number): number {
    let cut = end
    for (let overlapCount = 0; overlapCount < maxOverlaps; overlapCount += 1) {
      const begin = this.#findSecretAcross(bytes, cut)
      if (begin === 0) return cut
      cut = begin
    }
    return end
  }
}
