import { endOfString } from './bounded-json.ts'

/**
 * Parses JSON that a program wrote without changing a number. A number that a double cannot represent exactly, such as
 * an integer above 2^53 or 1e400, becomes a string with its digits.
 * @throws {SyntaxError} if the text is not JSON
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text) // inexactNumbers() requires valid JSON.
  const places = inexactNumbers(text)
  return places.length === 0 ? value : JSON.parse(quoted(text, places))
}

/** Start and end index of a number in a text. */
type Place = { start: number; end: number }

const [quote, minus, zero, nine] = [...'"-09'].map((one) => one.charCodeAt(0)) as [number, number, number, number]

function inexactNumbers(text: string): Place[] {
  const places: Place[] = []
  const number = /[-+.\deE]+/y
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === minus || (code >= zero && code <= nine)) {
      number.lastIndex = at
      number.test(text)
      const end = number.lastIndex
      if (!isExact(text.slice(at, end))) places.push({ start: at, end })
      at = end - 1
    }
  }
  return places
}

function quoted(text: string, places: readonly Place[]): string {
  const parts: string[] = []
  let done = 0
  for (const { start, end } of places) {
    parts.push(text.slice(done, start), '"', text.slice(start, end), '"')
    done = end
  }
  return parts.join('') + text.slice(done)
}

/**
 * Number of decimal digits that a JavaScript number always represents exactly: https://tc39.es/ecma262/#sec-tostring
 * (IEEE 754).
 */
const exactDigits = 15

/** Maximum length of numbers to compare. Comparing longer ones could take unbounded time. */
const maxCompared = 400

/** Returns whether a JavaScript number represents a JSON number exactly. */
function isExact(text: string): boolean {
  if (text.length <= exactDigits && !/e/i.test(text)) return true
  if (text.length > maxCompared) return false
  const value = Number(text)
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false
  return significand(text) === significand(String(value))
}

/** Returns the digits of a decimal without zeros at either end and its exponent, identical for every notation. */
function significand(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = withoutFinalZeros(digits)
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** Takes linear time. A regular expression would restart at each zero. */
function withoutFinalZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  return digits.slice(0, end)
}
