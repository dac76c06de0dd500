/** Lines of a text by their offsets, because the parser does not count every line break before an error. */
export class Lines {
  readonly #begins = [0]

  constructor(text: string) {
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) this.#begins.push(end + 1)
  }

  /** Returns the position of an offset, counted from 1; columns are in UTF-16 units, as in editors. */
  placeOf(offset: number): { line: number; column: number } {
    let line = 0
    let after = this.#begins.length
    while (after - line > 1) {
      const middle = (line + after) >> 1
      if ((this.#begins[middle] ?? 0) <= offset) line = middle
      else after = middle
    }
    return { line: line + 1, column: offset - (this.#begins[line] ?? 0) + 1 }
  }
}
