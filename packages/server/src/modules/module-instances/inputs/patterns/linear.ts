import { RE2JS, RE2JSException } from 're2js'

/** A pattern that is matched in time by the length of the text, whatever both are. */
export type Linear = {
  /** States of the machine, roughly: a match takes at most that much for each character. */
  size: number
  /** Undefined where the engine will not have it after all. */
  compiled(): { test(text: string): boolean } | undefined
}

/** Beyond, compiling alone takes milliseconds. */
const largest = 2_000

/**
 * The pattern for an engine without backtracking, written so that it finds a match in exactly the texts in which
 * JavaScript's finds one; undefined where that is not known to be possible. Only whether there is a match counts, so
 * being greedy, or lazy, or capturing makes no difference. Such a machine reads characters where JavaScript reads their
 * halves, so `isPlain` must hold for the text.
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

/** It takes fewer repetitions than JavaScript does. */
function compile(source: string): RE2JS | 'never' {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    if (error instanceof RE2JSException) return 'never'
    throw error
  }
}

/** Whether each UTF-16 unit is a character. */
export const isPlain = (text: string): boolean => !/[\ud800-\udfff]/.test(text)

/** A part of a pattern for the other engine, and its size there. */
type Part = { source: string; size: number }

/** Nested deeper, a pattern is none of a person's. */
const deepest = 50

/** What JavaScript takes for white space, and the ends of its lines: the other engine knows fewer. */
const blanks =
  '\\t\\n\\x{b}\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const lineEnds = '\\n\\r\\x{2028}\\x{2029}'

const classes: Readonly<Record<string, string>> = {
  d: '0-9',
  w: '0-9A-Z_a-z',
  s: blanks,
}

/** Characters that have a letter of their own. */
const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' }

/** Reads a pattern that JavaScript takes, as far as both mean the same; undefined is beyond that. */
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
    // A brace that is none of these JavaScript takes as it stands.
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
    // What looks around, and whatever else there may be, is JavaScript's alone.
    if (this.#next === '?' && !this.#match(/\?(?::|<[A-Za-z_]\w*>)/y)) return undefined
    const inside = this.alternatives(depth + 1)
    return inside && this.#take(')') ? { source: `(?:${inside.source})`, size: inside.size } : undefined
  }

  /** The members of a class. One that holds nothing, or everything, is left to JavaScript. */
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
      // Of a range from or to a class, such as \w, JavaScript takes the parts.
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

  /** What stands behind a backslash, as a member of a class. */
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

/** A character by its number, so that it means nothing else. */
const codeOf = (character: string): string => `\\x{${character.charCodeAt(0).toString(16)}}`

const isOne = (member: string): boolean => /^\\x\{[\da-f]+\}$/.test(member)
