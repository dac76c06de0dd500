import { RE2JS, RE2JSException } from 're2js'

/** Pattern that matches in time linear in the length of the text. */
export type Linear = {
  /** Approximate number of automaton states, which bounds the time per character. */
  size: number
  /** Compiles the pattern, or returns undefined if the engine rejects it. */
  compiled(): { test(text: string): boolean } | undefined
}

/** Maximum size, beyond which compilation alone takes milliseconds. */
const largest = 2_000

/**
 * Translates a pattern to RE2, such that it finds a match in the same texts as JavaScript. Returns undefined if that is
 * not certain. Ignores differences that only affect what is captured. RE2 reads whole characters instead of UTF-16
 * units, so `isPlain` must hold for the text.
 */
export function linear(pattern: string): Linear | undefined {
  if (!isPlain(pattern)) return undefined
  const reader = new Reader(pattern)
  const whole = reader.alternatives(0)
  if (!whole || !reader.isAtEnd || whole.size > largest) return undefined
  let compiled: RE2JS | 'never' | undefined
  return {
    size: whole.size,
    compiled: () => {
      compiled ??= compile(whole.source)
      return compiled === 'never' ? undefined : compiled
    },
  }
}

/** RE2 allows fewer repetitions than JavaScript. */
function compile(source: string): RE2JS | 'never' {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    if (error instanceof RE2JSException) return 'never'
    throw error
  }
}

/** Reports whether the text has no surrogate pairs. */
export const isPlain = (text: string): boolean => !/[\ud800-\udfff]/.test(text)

/** Translated part of a pattern, with its size. */
type Part = { source: string; size: number }

/** Maximum nesting depth of groups. */
const deepest = 50

/** Characters that JavaScript treats as white space and as line ends; RE2 knows fewer. */
const blanks =
  '\\t\\n\\x{b}\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const lineEnds = '\\n\\r\\x{2028}\\x{2029}'

const classes: Readonly<Record<string, string>> = {
  d: '0-9',
  w: '0-9A-Z_a-z',
  s: blanks,
}

/** Control characters with an escape letter. */
const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' }

/** Parses a JavaScript pattern. Results are undefined for constructs that RE2 lacks or treats differently. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  alternatives(depth: number): Part | undefined {
    if (depth > deepest) return undefined
    const parts: Part[] = []
    do {
      const part = this.#sequence(depth)
      if (!part) return undefined
      parts.push(part)
    } while (this.#take('|'))
    return { source: parts.map(({ source }) => source).join('|'), size: 1 + sum(parts) }
  }

  #sequence(depth: number): Part | undefined {
    const parts: Part[] = []
    while (!this.isAtEnd && this.#next !== '|' && this.#next !== ')') {
      const part = this.#anchor() ?? this.#repeated(depth)
      if (!part) return undefined
      parts.push(part)
    }
    return { source: parts.map(({ source }) => source).join(''), size: sum(parts) }
  }

  #anchor(): Part | undefined {
    for (const [written, source] of [
      ['^', '\\A'],
      ['$', '\\z'],
      ['\\b', '\\b'],
      ['\\B', '\\B'],
    ] as const) {
      if (this.#take(written)) return { source: `(?:${source})`, size: 1 }
    }
    return undefined
  }

  #repeated(depth: number): Part | undefined {
    const one = this.#one(depth)
    if (!one) return undefined
    const [times] = this.#match(/[*+?]|\{\d{1,3}(?:,\d{0,3})?\}/y) ?? []
    // JavaScript treats any other brace as a literal.
    if (times === undefined) return this.#next === '{' ? undefined : one
    this.#take('?')
    const most = Math.max(1, ...(times.match(/\d+/g) ?? []).map(Number))
    const source = `(?:${one.source})${times}`
    return { source, size: one.size * most + 1 }
  }

  #one(depth: number): Part | undefined {
    if (this.#take('(')) return this.#group(depth)
    if (this.#take('[')) return this.#class()
    if (this.#take('.')) return { source: `[^${lineEnds}]`, size: 1 }
    if (this.#take('\\')) {
      const [other] = this.#match(/[DWS]/y) ?? []
      const escaped = other === undefined ? this.#escaped() : classes[other.toLowerCase()]
      return escaped === undefined ? undefined : { source: `[${other === undefined ? '' : '^'}${escaped}]`, size: 1 }
    }
    const [plain] = this.#match(/[^*+?{}[\]()|\\^$.]/y) ?? []
    return plain === undefined ? undefined : { source: codeOf(plain), size: 1 }
  }

  #group(depth: number): Part | undefined {
    // Lookaround and other group types exist only in JavaScript.
    if (this.#next === '?' && !this.#match(/\?(?::|<[A-Za-z_]\w*>)/y)) return undefined
    const inside = this.alternatives(depth + 1)
    return inside && this.#take(')') ? { source: `(?:${inside.source})`, size: inside.size } : undefined
  }

  /** Parses a character class. Empty classes and classes of everything are left to JavaScript. */
  #class(): Part | undefined {
    const negation = this.#take('^') ? '^' : ''
    const members: string[] = []
    while (!this.#take(']')) {
      const first = this.#member()
      if (first === undefined) return undefined
      const isRange = this.#next === '-' && this.#text[this.#at + 1] !== ']'
      if (!isRange) {
        members.push(first)
        continue
      }
      this.#at += 1
      const last = this.#member()
      // JavaScript treats a range with a class, such as \w, as its parts.
      if (last === undefined || !isOne(first) || !isOne(last)) return undefined
      members.push(`${first}-${last}`)
    }
    return members.length === 0 ? undefined : { source: `[${negation}${members.join('')}]`, size: 1 }
  }

  #member(): string | undefined {
    if (this.#take('\\')) return this.#escaped()
    const [plain] = this.#match(/[^\]]/y) ?? []
    return plain === undefined ? undefined : codeOf(plain)
  }

  /** Parses an escape sequence within a class. */
  #escaped(): string | undefined {
    const [text] = this.#match(/[dws]|[tnvfr]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|[^\w\s]/y) ?? []
    if (text === undefined) return undefined
    const named = classes[text]
    if (named !== undefined) return named
    const control = controls[text]
    if (control !== undefined) return codeOf(control)
    if (text.length === 1) return codeOf(text)
    const character = String.fromCharCode(Number.parseInt(text.slice(1), 16))
    return isPlain(character) ? codeOf(character) : undefined
  }

  get #next(): string | undefined {
    return this.#text[this.#at]
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.#text)
    if (found) this.#at = sticky.lastIndex
    return found
  }
}

const sum = (parts: readonly Part[]): number => parts.reduce((total, { size }) => total + size, 0)

/** Returns a character as a numeric escape without special meaning. */
const codeOf = (character: string): string => `\\x{${character.charCodeAt(0).toString(16)}}`

const isOne = (member: string): boolean => /^\\x\{[\da-f]+\}$/.test(member)
