/** Parses a command as a list of words. Undefined if a quote is not closed or it is no command. */
export function parseCommandWords(value: unknown): string[] | undefined {
  if (Array.isArray(value)) return value.every((word) => typeof word === 'string') ? value : undefined
  return typeof value === 'string' ? splitWords(value) : undefined
}

/** Splits a line into words with shell quoting, without other shell features. */
function splitWords(line: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at)
    if (sign === '\\' && quote !== "'") {
      at += 1
      if (at === line.length) return undefined
      const next = line.charAt(at)
      word = `${word ?? ''}${quote !== undefined && !'"\\$`'.includes(next) ? sign : ''}${next}`
    } else if (quote === sign) quote = undefined
    else if (quote !== undefined) word = `${word ?? ''}${sign}`
    else if (sign === "'" || sign === '"') {
      quote = sign
      word ??= ''
    } else if (!/\s/.test(sign)) word = `${word ?? ''}${sign}`
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  if (quote !== undefined) return undefined
  return word === undefined ? words : [...words, word]
}

/** Converts a number, or text from a variable with a default, to a number. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d{1,9}(?:\.\d{1,9})?$/.test(value.trim()) ? Number(value) : undefined
}

const seconds: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3_600 }

/** Converts a duration such as `1m30s`, or a number, to seconds. */
export function asSeconds(value: unknown): number | undefined {
  const number = asNumber(value)
  if (number !== undefined) return number
  const text = typeof value === 'string' ? value.trim() : ''
  if (text.length > 40 || !/^(?:\d+(?:\.\d+)?(?:us|ms|s|m|h))+$/.test(text)) return undefined
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(us|ms|s|m|h)/g)]
  return parts.reduce((sum, [, number, unit = 's']) => sum + Number(number) * (seconds[unit] ?? 1), 0)
}

const bytes: Readonly<Record<string, number>> = { b: 1, k: 1_024, m: 1_048_576, g: 1_073_741_824 }

/** Converts a size such as `512m`, `1gb`, or a number of bytes, to MiB. */
export function asMebibytes(value: unknown): number | undefined {
  const [, number, unit = 'b'] = /^(\d{1,15}(?:\.\d{1,9})?)\s*([bkmg])?b?$/i.exec(String(value)) ?? []
  if (number === undefined) return undefined
  const size = Math.ceil((Number(number) * (bytes[unit.toLowerCase()] ?? 1)) / 1_048_576)
  return size > 0 && size <= 16_777_216 ? size : undefined
}
