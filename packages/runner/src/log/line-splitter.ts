import type { Mask } from './mask.ts'

/** Maximum bytes of a line in a log. Longer lines are split. */
export const maxLineBytes = 64 * 1024 - 1

/** A line without its newline, and the position of its end in the source. */
export type Line = { text: string; end: number }

const newline = 0x0a
const carriageReturn = 0x0d

/** Splits output into lines, whatever the sizes of the pieces in which it is read. */
export class LineSplitter {
  readonly #mask: Mask
  #rest: Buffer = Buffer.alloc(0)
  /** Position up to which lines were returned. */
  #end: number

  constructor(mask: Mask, start: number) {
    this.#mask = mask
    this.#end = start
  }

  /** Yields the lines that this piece completes. The piece's memory may be reused afterwards. */
  *add(piece: Buffer): Generator<Line> {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    for (let length = this.#nextLength(); length !== undefined; length = this.#nextLength()) yield this.#take(length)
    this.#rest = Buffer.from(this.#rest)
  }

  /** Yields the rest at the end of the output. */
  *flush(): Generator<Line> {
    while (this.#rest.length > 0) yield this.#take(this.#nextLength() ?? this.#cut(this.#rest.length))
  }

  /** Returns the length of the next line with its newline; undefined if more data is needed. */
  #nextLength(): number | undefined {
    const at = this.#rest.subarray(0, maxLineBytes + 1).indexOf(newline)
    if (at >= 0) return at + 1
    // More data is needed if a secret may span the split.
    return this.#rest.length >= maxLineBytes + this.#mask.maxSecretBytes ? this.#cut(maxLineBytes) : undefined
  }

  #cut(end: number): number {
    if (end > maxLineBytes) return this.#cut(maxLineBytes)
    if (end === this.#rest.length) return end
    return this.#mask.findSafeCut(this.#rest, findCharacterStart(this.#rest, end))
  }

  #take(length: number): Line {
    const line = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    this.#end += length
    return { text: stripNewline(line).toString(), end: this.#end }
  }
}

function stripNewline(line: Buffer): Buffer {
  if (line.at(-1) !== newline) return line
  return line.subarray(0, line.at(-2) === carriageReturn ? -2 : -1)
}

/** Returns the last position up to `end` that does not split a UTF-8 character. */
function findCharacterStart(bytes: Buffer, end: number): number {
  for (let at = end; at > end - 4 && at > 0; at -= 1) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at
  return end
}
