import type { Mask } from './mask.ts'

/** The most bytes that stand in one line of a log; longer ones go on in the next. */
export const longestLine = 64 * 1024 - 1

/** A line without its end, and where it ends in what was read. */
export type Line = { text: string; end: number }

const newline = 0x0a
const carriageReturn = 0x0d

/** Cuts what a program writes into lines, whatever the pieces in which it is read. */
export class Lines {
  readonly #mask: Mask
  #rest: Buffer = Buffer.alloc(0)
  /** How far what was read is cut. */
  #end: number

  constructor(mask: Mask, start: number) {
    this.#mask = mask
    this.#end = start
  }

  /** The lines that are whole with this piece, whose memory may be used again when all were taken. */
  *add(piece: Buffer): Generator<Line> {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    for (let length = this.#nextLength(); length !== undefined; length = this.#nextLength()) yield this.#take(length)
    this.#rest = Buffer.from(this.#rest)
  }

  /** What is left when nothing follows any more. */
  *last(): Generator<Line> {
    while (this.#rest.length > 0) yield this.#take(this.#nextLength() ?? this.#cut(this.#rest.length))
  }

  /** The length of the next line with its end; undefined as long as what is there does not tell. */
  #nextLength(): number | undefined {
    const at = this.#rest.subarray(0, longestLine + 1).indexOf(newline)
    if (at >= 0) return at + 1
    // A secret may lie across the place where the line is cut.
    return this.#rest.length >= longestLine + this.#mask.longest ? this.#cut(longestLine) : undefined
  }

  #cut(end: number): number {
    if (end > longestLine) return this.#cut(longestLine)
    if (end === this.#rest.length) return end
    return this.#mask.cutBefore(this.#rest, characterBefore(this.#rest, end))
  }

  #take(length: number): Line {
    const line = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    this.#end += length
    return { text: withoutEnd(line).toString(), end: this.#end }
  }
}

function withoutEnd(line: Buffer): Buffer {
  if (line.at(-1) !== newline) return line
  return line.subarray(0, line.at(-2) === carriageReturn ? -2 : -1)
}

/** The nearest place at or before `end` that is not within a character of UTF-8. */
function characterBefore(bytes: Buffer, end: number): number {
  for (let at = end; at > end - 4 && at > 0; at -= 1) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at
  return end
}
