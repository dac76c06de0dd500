type Screen = Pick<NodeJS.WriteStream, 'write'> & { rows?: number }

const up = (lines: number) => (lines === 0 ? '' : `\r\u001b[${lines}A\u001b[J`)

/** Disables line wrapping meanwhile, because only the terminal knows the width of characters. */
const uncut = '\u001b[?7h'
const cut = '\u001b[?7l'

/** Lines at the end of a terminal that are redrawn in place, below all other output. */
export class Live {
  readonly #screen: Screen
  #lines: readonly string[] = []
  #drawn = 0

  constructor(screen: Screen) {
    this.#screen = screen
  }

  /** Redraws the lines at the bottom of the terminal. */
  show(lines: readonly string[]): void {
    this.#lines = lines
    this.#draw('')
  }

  /** Writes text above the live lines. */
  write(text: string): void {
    this.#draw(this.#lines.length === 0 || text.endsWith('\n') ? text : `${text}\n`)
  }

  #draw(above: string): void {
    const lines = fitting(this.#lines, (this.#screen.rows ?? defaultRows) - 1)
    const drawn = lines.length === 0 ? '' : `${cut}${lines.map((line) => `${line}\n`).join('')}${uncut}`
    this.#screen.write(`${up(this.#drawn)}${above}${drawn}`)
    this.#drawn = lines.length
  }
}

const defaultRows = 24

/** Returns the lines that fit on the screen: the first and the last ones. Lines that scrolled off cannot be redrawn. */
function fitting(lines: readonly string[], most: number): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, 1), ...lines.slice(lines.length - most + 1)]
}
