/** What stands where a secret stood. */
const mark = '***'

/** Hiding every `1` would hide nothing and spoil everything. */
const shortestSecret = 4

/** Keeps secrets out of what a step writes: as they are, line by line, and as base64 has them. */
export class Mask {
  /** The longest first: one may be part of another. */
  #secrets: { text: string; bytes: Buffer }[] = []

  add(secret: string): void {
    const texts = new Set([...this.#secrets.map(({ text }) => text), ...formsOf(secret)])
    this.#secrets = [...texts]
      .map((text) => ({ text, bytes: Buffer.from(text) }))
      .sort((one, other) => other.bytes.length - one.bytes.length)
  }

  /** The texts that are hidden. */
  get secrets(): string[] {
    return this.#secrets.map(({ text }) => text)
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

  /** A place at or before `end` where the bytes can be cut in two without cutting a secret. */
  cutBefore(bytes: Buffer, end: number): number {
    for (const secret of this.#secrets) {
      const from = bytes.indexOf(secret.bytes, Math.max(0, end - secret.bytes.length + 1))
      if (from > 0 && from < end) return this.cutBefore(bytes, from)
    }
    return end
  }
}

/**
 * The forms in which a secret may be written: whole, its lines, and each in base64 wherever it stands in the encoded.
 */
function formsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim())
  const plain = [secret, ...lines].filter(({ length }) => length >= shortestSecret)
  return [...new Set(plain.flatMap((text) => [text, ...base64FormsOf(text)]))]
}

/**
 * Base64 turns three bytes into four letters, so the letters of a secret depend on how many bytes stand before it, in
 * one of three ways. A letter that its neighbours have a part in is left out: it is not the same everywhere.
 */
function base64FormsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  const forms = [0, 1, 2].map((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    return padded.toString('base64').slice(lettersOf(before, Math.ceil), lettersOf(padded.length, Math.floor))
  })
  return forms.filter(({ length }) => length > shortestSecret).flatMap((form) => [form, urlSafe(form)])
}

/** A letter stands for six bits. */
const lettersOf = (bytes: number, rounded: (value: number) => number) => rounded((bytes * 8) / 6)

const urlSafe = (base64: string) => base64.replaceAll('+', '-').replaceAll('/', '_')
