type Screen = Pick<NodeJS.WriteStream, 'write'> & { rows?: number }

const up = (lines: number) => (lines === 0 ? '' : `\r\u001b[${lines}A\u001b[J`)

/** A terminal cuts long lines itself meanwhile: only it knows how wide the characters are. */
const uncut = '\u001b[?7h'
const cut = '\u001b[?7l'

/** Lines at the end of a terminal that are drawn again in place, below all else that is written meanwhile. */
export class Live {
  readonly #screen: Screen
  #lines: readonly string[] = []
  #drawn = 0

  constructor(screen: Screen) {
    this.#screen = screen
  }

  /** Shows these lines instead of those before. */
  show(lines: readonly string[]): void {
    this.#lines = lines
    this.#draw('')
  }

  /** Writes above the lines, which begin on a line of their own. */
  write(text: string): void {
    this.#draw(this.#lines.length === 0 || text.endsWith('\n') ? text : `${text}\n`)
  }

  #draw(above: string): void {
    const lines = fitting(this.#lines, (this.#screen.rows ?? usualRows) - 1)
    const drawn = lines.length === 0 ? '' : `${cut}${lines.map((line) => `${line}\n`).join('')}${uncut}`
    this.#screen.write(`${up(this.#drawn)}${above}${drawn}`)
    this.#drawn = lines.length
  }
}

const usualRows = 24

/** What has left the screen cannot be drawn again: the first line, and as many of the last as there is room for. */
function fitting(lines: readonly string[], most: number): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, 1), ...lines.slice(lines.length - most + 1)]
}
