import { Problem } from './errors.ts'

/** A token; `at` is its offset in the text of the template. */
export type Token =
  | { kind: 'number'; value: number; at: number }
  | { kind: 'string'; value: string; at: number }
  | { kind: 'name' | 'sign'; value: string; at: number }
  | { kind: 'end'; value: ''; at: number }

const space = /\s+/y
const number = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y
const name = /[A-Za-z_$][\w$]*/y
/** Operators, the longest first. `?.` before a digit is `?` and a number: `a ?.5 : 1`. */
const sign = /\?\?|\?\.(?!\d)|&&|\|\||==|!=|<=|>=|\*\*|\.\.|[-+*/%^!<>?:,.#|()[\]{}]/y

/**
 * Returns the tokens of `text` between `from` and `to`, followed by an end token.
 * @throws {Problem} for an invalid token, or an unterminated text or comment
 */
export function tokensOf(text: string, from = 0, to = text.length): Token[] {
  const source = to === text.length ? text : text.slice(0, to)
  const tokens: Token[] = []
  let at = from
  while (at < to) {
    const skipped = lengthAt(space, source, at) || commentLengthAt(source, at)
    if (skipped > 0) {
      at += skipped
      continue
    }
    const length = textLengthAt(source, at) || lengthAt(name, source, at) || numberLengthAt(source, at, tokens)
    const raw = source.slice(at, at + (length || signLengthAt(source, at)))
    tokens.push(length > 0 ? valueToken(raw, at) : { kind: 'sign', value: raw, at })
    at += raw.length
  }
  tokens.push({ kind: 'end', value: '', at: to })
  return tokens
}

function valueToken(raw: string, at: number): Token {
  if (isQuote(raw[0])) return { kind: 'string', value: textOf(raw, at), at }
  if (/[\d.]/.test(raw[0] ?? '')) return { kind: 'number', value: Number(raw), at }
  return { kind: 'name', value: raw, at }
}

function signLengthAt(source: string, at: number): number {
  const length = lengthAt(sign, source, at)
  if (length > 0) return length
  const found = String.fromCodePoint(source.codePointAt(at) ?? 0)
  throw new Problem(`unexpected ${JSON.stringify(found)}`, at)
}

/**
 * A number does not start with the point of `list[0].5` or end with the first point of `1..5`. `.5` is a number where a
 * value can start.
 */
function numberLengthAt(source: string, at: number, tokens: Token[]): number {
  const last = tokens.at(-1)
  const isAfterValue = last !== undefined && (last.kind !== 'sign' || [')', ']', '}', '#', '.'].includes(last.value))
  if (source[at] === '.' && isAfterValue) return 0
  return lengthAt(number, source, at)
}

/**
 * Returns the offset of the `>>` of the template whose `<<` is at `open`. Skips texts and comments.
 * @throws {Problem} if the template does not end
 */
export function endOfTemplate(text: string, open: number): number {
  let at = open + 2
  while (at < text.length) {
    if (text.startsWith('>>', at)) return at
    at += textLengthAt(text, at) || commentLengthAt(text, at) || 1
  }
  throw new Problem('this << has no >>', open)
}

const isQuote = (letter: string | undefined): boolean => letter === '"' || letter === "'" || letter === '`'

/** Returns the length of the string literal that starts here, with its quotes; 0 if there is none. */
function textLengthAt(source: string, at: number): number {
  const quote = source[at]
  if (!isQuote(quote)) return 0
  for (let end = at + 1; end < source.length; end++) {
    if (source[end] === quote) return end + 1 - at
    if (source[end] === '\\' && quote !== '`') end++
  }
  throw new Problem('this text does not end', at)
}

/** Returns the length of the comment that starts here, without the newline; 0 if there is none. */
function commentLengthAt(source: string, at: number): number {
  if (source.startsWith('//', at)) {
    const end = source.indexOf('\n', at)
    return (end === -1 ? source.length : end) - at
  }
  if (!source.startsWith('/*', at)) return 0
  const end = source.indexOf('*/', at + 2)
  if (end === -1) throw new Problem('this comment does not end', at)
  return end + 2 - at
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', '"': '"', "'": "'", '\\': '\\' }

function textOf(raw: string, at: number): string {
  const inside = raw.slice(1, -1)
  if (raw[0] === '`') return inside
  return inside.replaceAll(
    /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g,
    (_, code: string | undefined, letter: string, offset) => {
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
      const meant = escapes[letter]
      if (meant === undefined)
        throw new Problem(
          `\\${letter} is not an escape sequence; valid are \\n \\t \\r \\" \\' \\\\ \\uXXXX`,
          at + 1 + offset,
        )
      return meant
    },
  )
}

function lengthAt(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(source) ? pattern.lastIndex - at : 0
}
