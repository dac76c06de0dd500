/** The lines of a text, by the offsets at which they begin. The parser does not count all of those it stumbles over. */
export class Lines {
  readonly #begins = [0]

  constructor(text: string) {
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) this.#begins.push(end + 1)
  }

  /** Where an offset is, from 1; columns count as those of editors, in units of UTF-16. */
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
